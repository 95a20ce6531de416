export type { Contract, ObjectSchema } from "./contract/operation.ts";
export type { Schema } from "./schema/schema.ts";
export { ApiError, type ApiErrorDetails, type ErrorCode } from "./contract/errors.ts";
export type { OperationName } from "./contract/operation-name.ts";
export type { OpenApiDocument } from "./contract/openapi.ts";
export type { Effect, Latency } from "./faults/fault-schema.ts";
export type { Quirk, Quirks } from "./contract/quirks.ts";
export type { Fault, FaultInit, Input, FaultPhase } from "./faults/fault.ts";
export type { RecordedRequest } from "./journal/recorded-request.ts";
export type { RequestFilter } from "./journal/request-filter.ts";
export type { Finding } from "./findings/findings.ts";
export { describeRequests } from "./journal/describe-requests.ts";
export type {
  EmulatorNeedsOptions,
  NeedsOptions,
  RefusedRight,
  TokenNeeds,
} from "./journal/needed-permissions.ts";
export type { RuleName } from "./findings/rules.ts";
export type { Outcome, OutcomeCounts } from "./contract/outcomes.ts";
export type { Counted, Usage, UsageOfDay, UsageOfGroup, UsageQuery } from "./history/usage.ts";
export { createEmulator, type Emulator } from "./emulator/emulator.ts";
export type { EmulatorOptions } from "./emulator/options.ts";
export type {
  BugEntry,
  FindingEntry,
  Log,
  LogEntry,
  NoticeEntry,
  RequestEntry,
  WarningEntry,
} from "./service/log.ts";
export type { FaultControl, FindingList, RequestJournal, Sandbox } from "./emulator/sandbox.ts";
export type { PlainReply } from "./service/reply.ts";
export type { PlainRequest } from "./service/request.ts";
export type { EmulatorResetOptions, ResetOptions } from "./world/world.ts";
export {
  defineOperation,
  type AdmittedCall,
  type Call,
  type Operation,
  type OperationDefinition,
} from "./operations/own-operation.ts";
export type { DemandRefusal, Requirement } from "./operations/operation.ts";
export { onApi } from "./operations/operation.ts";
export { keyRecord, toKeyRecord, type KeyRecord } from "./operations/v1/key-record.ts";
export type { Fixture } from "./seeding/fixtures/format.ts";
export type { GenerateInput as GenerateRequest } from "./seeding/fixtures/format.ts";
export type { TokenGrant } from "./seeding/fixtures/check.ts";
export type { ClockControl, Duration, Time } from "./store/clock.ts";
export type { Key, KeyInput as KeyInit } from "./store/key.ts";
export type { Migration, MigrationInit } from "./store/migration.ts";
export type {
  AccessToken,
  AccessTokenInput as AccessTokenInit,
  Api,
  ApiInit,
  Identity,
  IdentityInput as IdentityInit,
  Permission,
  PermissionInit,
  Role,
  RoleInit,
} from "./store/records.ts";
export type {
  RatelimitNamespace,
  RatelimitNamespaceInput as RatelimitNamespaceInit,
  RatelimitOverride,
} from "./store/limits/namespaces.ts";
export type { PublicWorkspace as Workspace } from "./store/public/workspace.ts";
export { UsageError } from "./usage-error.ts";
