export { startProcess, type ProcessOptions, type RunningProcess } from "./cli/start-process.ts";
export { ListenError } from "./http/listen.ts";
export { serve, type RunningServer, type ServeOptions } from "./http/serve.ts";
export { readFixtureFile as loadFixture } from "./seeding/files.ts";
