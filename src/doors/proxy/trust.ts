import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { rootCertificates } from "node:tls";
import { isRunning } from "../../base/is-running.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Environment } from "./no-proxy.ts";

const SYSTEM_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Variables that name all authorities that a program trusts. Each comes with the variable that the
 * program reads if the first one is not set.
 */
const ALL_AUTHORITIES = {
  SSL_CERT_FILE: undefined,
  CURL_CA_BUNDLE: "SSL_CERT_FILE",
  REQUESTS_CA_BUNDLE: "CURL_CA_BUNDLE",
} as const;
/** Variables that name authorities in addition to the usual ones. */
const FURTHER_AUTHORITIES = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"];

const PREFIX = "latchkey-as-";

/**
 * Writes the files by which programs trust an authority, in a folder that only this user can read.
 * Authorities that the variables of `env` name stay trusted; an unreadable file is a warning.
 * @throws UsageError if it cannot write
 */
export function writeTrustFiles(
  authority: string,
  env: Environment,
  warn: (problem: string) => void,
) {
  const folder = makeFolder();
  const remove = () => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", remove);
  const write = (name: string, certificates: string) => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, `${certificates}\n${authority}`);
    return [name, file] as const;
  };
  const named = (name: string | undefined) => {
    const path = name && env[name];
    return name && path ? readCertificates(name, path, warn) : undefined;
  };
  const system = readSystemAuthorities();
  const files = [
    ...Object.entries(ALL_AUTHORITIES).map(([name, other]) => {
      return write(name, named(name) ?? named(other) ?? system);
    }),
    ...FURTHER_AUTHORITIES.map((name) => write(name, named(name) ?? "")),
  ];
  const variables = Object.fromEntries(files);
  return { variables: { ...variables, ...setUpPhp(folder, variables, env) }, remove };
}

function makeFolder(): string {
  try {
    removeOldFolders();
    // `mkdtemp` creates a folder that only this user can read.
    return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  } catch (error) {
    throw new UsageError(
      `--as: cannot write the authorities that programs trust: ${(error as Error).message}; name another folder for temporary files with TMPDIR`,
    );
  }
}

/** PHP has no variable for authorities, but one for folders with settings. */
function setUpPhp(folder: string, files: Readonly<Record<string, string>>, env: Environment) {
  const settings = join(folder, "php");
  mkdirSync(settings);
  const { CURL_CA_BUNDLE: forCurl, SSL_CERT_FILE: forStreams } = files;
  const lines = [`openssl.cafile="${forStreams}"`, `curl.cainfo="${forCurl}"`];
  writeFileSync(join(settings, "latchkey.ini"), `${lines.join("\n")}\n`);
  // An empty entry means the usual folder.
  return { PHP_INI_SCAN_DIR: `${env["PHP_INI_SCAN_DIR"] ?? ""}${delimiter}${settings}` };
}

function readSystemAuthorities(): string {
  for (const file of SYSTEM_BUNDLES) {
    try {
      return readFileSync(file, "utf8");
    } catch {
      // On other systems it is in another place.
    }
  }
  return rootCertificates.join("\n");
}

/** The certificates in a file, or in the files of a folder, which curl and others accept too. */
function readCertificates(name: string, path: string, warn: (problem: string) => void): string {
  try {
    if (!statSync(path).isDirectory()) return readFileSync(path, "utf8");
    const files = readdirSync(path).map((file) => join(path, file));
    const texts = files
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "utf8"));
    return [...new Set(texts)].filter((text) => text.includes("BEGIN CERTIFICATE")).join("\n");
  } catch (error) {
    warn(`${name}: cannot read it, so it adds no authority: ${(error as Error).message}`);
    return "";
  }
}

/** The age at which the folder of an ended process is removed, in milliseconds. */
const OLD = 86_400_000;

/**
 * Removes folders of processes that were killed. A day has to pass, because a process in another
 * container, with the same folder for temporary files, looks as if it had ended.
 */
function removeOldFolders(): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const folder = join(tmpdir(), name);
    try {
      const { mtimeMs, uid } = statSync(folder);
      const isOwn = uid === (process.getuid?.() ?? uid);
      if (
        isOwn &&
        Date.now() - mtimeMs > OLD &&
        !isRunning(Number.parseInt(name.slice(PREFIX.length), 10))
      )
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another process has just removed the folder.
    }
  }
}
