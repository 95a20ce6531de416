export { createEmulator, type Emulator } from "./emulator/emulator.ts";
export type { EmulatorOptions } from "./emulator/options.ts";
export type { BugEntry, Log, LogEntry, RequestEntry, WarningEntry } from "./emulator/log.ts";
export type { PlainReply, PlainRequest } from "./emulator/exchange.ts";
export type { Fixture } from "./seeding/fixtures/format.ts";
export type { TokenGrant } from "./seeding/fixtures/tokens.ts";
export type {
  AccessToken,
  AccessTokenInit,
  Api,
  ApiInit,
  Identity,
  IdentityInit,
  Key,
  KeyInit,
  Permission,
  PermissionInit,
  Role,
  RoleInit,
} from "./store/records.ts";
export { UsageError } from "./usage-error.ts";
