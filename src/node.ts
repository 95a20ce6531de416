export { startProcess, type ProcessOptions, type RunningProcess } from "./cli/start-process.ts";
export { ListenError } from "./doors/http/listen.ts";
export { serve, type RunningServer, type ServeOptions } from "./doors/http/serve.ts";
export { readFixtureFile as loadFixture } from "./seed/files.ts";
