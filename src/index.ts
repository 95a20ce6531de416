export type { Contract, ObjectSchema } from "./api/operation.ts";
export type { Schema } from "./schema/schema.ts";
export { ApiError, type ApiErrorDetails, type ErrorCode } from "./api/errors.ts";
export type { OperationName } from "./api/operation-name.ts";
export type { OpenApiDocument } from "./api/openapi/openapi.ts";
export type { Effect, Latency } from "./faults/fault-schema.ts";
export type { Quirk, Quirks } from "./api/quirks.ts";
export type { Fault, FaultInit, Input, FaultPhase } from "./faults/fault.ts";
export type { RecordedRequest } from "./world/journal/recorded-request.ts";
export type { RequestFilter } from "./world/journal/request-filter.ts";
export type { Finding } from "./world/findings/findings.ts";
export { describeRequests } from "./world/journal/describe-requests.ts";
export type {
  EmulatorNeedsOptions,
  NeedsOptions,
  RefusedRight,
  TokenNeeds,
} from "./world/journal/needed-permissions.ts";
export type { RuleName } from "./world/findings/rules.ts";
export type { Outcome, OutcomeCounts } from "./api/outcomes.ts";
export type { Counted, Usage, UsageOfDay, UsageOfGroup, UsageQuery } from "./state/usage/usage.ts";
export { createEmulator } from "./emulator/create-emulator.ts";
export { type Emulator } from "./emulator/emulator.ts";
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
export type { EmulatorResetOptions, ResetOptions } from "./world/settings.ts";
export {
  defineOperation,
  type AdmittedCall,
  type Call,
  type Operation,
  type OperationDefinition,
} from "./service/operations/own-operation.ts";
export type { DemandRefusal, Requirement } from "./service/operations/operation.ts";
export { onApi } from "./service/operations/operation.ts";
export { keyRecord, toKeyRecord, type KeyRecord } from "./service/operations/v1/key-record.ts";
export type { Fixture } from "./seed/format.ts";
export type { GenerateInput as GenerateRequest } from "./seed/format.ts";
export type { TokenGrant } from "./seed/check.ts";
export type { ClockControl } from "./state/time/clock.ts";
export type { Duration, Time } from "./state/time/time-text.ts";
export type { Key, KeyInput as KeyInit } from "./state/keys/key.ts";
export type { Migration, MigrationInit } from "./state/records/migrations.ts";
export type { AccessToken, AccessTokenInput as AccessTokenInit } from "./state/records/tokens.ts";
export type { Api, ApiInit } from "./state/records/apis.ts";
export type { Identity, IdentityInput as IdentityInit } from "./state/records/identities.ts";
export type { Permission, PermissionInit } from "./state/records/permissions.ts";
export type { Role, RoleInit } from "./state/records/roles.ts";
export type {
  RatelimitNamespace,
  RatelimitNamespaceInput as RatelimitNamespaceInit,
  RatelimitOverride,
} from "./state/records/namespaces.ts";
export type { PublicWorkspace as Workspace } from "./state/public/workspace.ts";
export { UsageError } from "./base/usage-error.ts";
