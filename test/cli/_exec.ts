import { runCli } from "../_cli.ts";

export const node = process.execPath;
export const exec = (code: string, ...options: string[]) =>
  runCli(["exec", ...options, "--", node, "-e", code]);

/** Lists keys of the emulator in the environment, and prints where it did. */
export const LIST = `
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;
  const response = await fetch(url + "/v1/apis.listKeys?apiId=api_local", {
    headers: { Authorization: "Bearer " + token },
  });
  console.log(JSON.stringify({ url, token, status: response.status }));
`;
export const inModule = (code: string) =>
  `import("data:text/javascript," + ${JSON.stringify(encodeURIComponent(code))})`;
