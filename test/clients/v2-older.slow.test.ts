import { Unkey as Unkey20 } from "unkey-api-2.0";
import * as errors20 from "unkey-api-2.0/models/errors";
import { Unkey as Unkey22 } from "unkey-api-2.2";
import * as errors22 from "unkey-api-2.2/models/errors";
import { Unkey as Unkey230 } from "unkey-api-2.3.0";
import * as errors230 from "unkey-api-2.3.0/models/errors";
import { Unkey as Unkey234 } from "unkey-api-2.3.4";
import * as errors234 from "unkey-api-2.3.4/models/errors";
import { Unkey as Unkey235 } from "unkey-api-2.3.5";
import * as errors235 from "unkey-api-2.3.5/models/errors";
import { Unkey as Unkey24 } from "unkey-api-2.4";
import * as errors24 from "unkey-api-2.4/models/errors";
import { describeClient } from "../_client-v2.ts";

describeClient({
  version: "2.0.5",
  Unkey: Unkey20,
  errors: errors20,
  lists: "a page",
  // This version does not know these members, and drops them.
  identityMeta: {},
});
describeClient({ version: "2.2.1", Unkey: Unkey22, errors: errors22, lists: "a page" });
describeClient({ version: "2.3.0", Unkey: Unkey230, errors: errors230, lists: "a page" });
describeClient({ version: "2.3.4", Unkey: Unkey234, errors: errors234, lists: "a page" });
describeClient({ version: "2.3.5", Unkey: Unkey235, errors: errors235, lists: "an iterator" });
describeClient({ version: "2.4.0", Unkey: Unkey24, errors: errors24, lists: "an iterator" });
