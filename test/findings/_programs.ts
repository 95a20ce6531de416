import { Unkey } from "@unkey/api";
import { expect } from "vitest";
import { Unkey as Unkey019 } from "unkey-api-0.19";
import { Unkey as Unkey2, type SDKOptions } from "unkey-api-2";
import type { Emulator, EmulatorOptions } from "../../src/index.ts";
import type { Reached } from "../_reach.ts";

/** An API with 250 keys, one with 101, one without, and a key whose value is known. */
export const world: EmulatorOptions = {
  fixtures: [
    {
      apis: [{ id: "api_many" }, { id: "api_some" }, { id: "api_one", storeEncryptedKeys: true }],
      generate: [
        { apiId: "api_many", count: 250 },
        { apiId: "api_some", count: 101 },
      ],
    },
  ],
};

/** The root key of these programs: as long as a real one. */
export const ROOT = "unkey_3ZcA9kTqWmVbN7Lx4";

/** Quick tries, as patient as a test is, but not as if they were sent together. */
export const quick = {
  strategy: "backoff",
  backoff: { initialInterval: 60, maxInterval: 60, exponent: 1, maxElapsedTime: 1_000 },
  retryConnectionErrors: true,
} as const;

export function newer(url: string, options: Partial<SDKOptions> = {}): Unkey2 {
  return new Unkey2({
    rootKey: ROOT,
    serverURL: url,
    retryConfig: { strategy: "none" },
    ...options,
  });
}

export function older(url: string): Unkey {
  return new Unkey({ rootKey: ROOT, baseUrl: url });
}

/** A client that repeats every call that fails, also one that is refused. */
export function oldest(url: string, attempts: number): Unkey019 {
  return new Unkey019({ rootKey: ROOT, baseUrl: url, retry: { attempts, backoff: () => 1 } });
}

/** A call without a client library. */
export function call(url: string, operation: string, body: object): Promise<Response> {
  return fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export function get(url: string, operation: string, query: Record<string, string>) {
  return fetch(`${url}/v1/${operation}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${ROOT}` },
  });
}

/** A program that runs against an emulator. */
export type Program = (reached: Reached) => Promise<unknown>;

/** The rules that found something, each once for each finding. */
export function rulesOf({ findings }: Emulator): string[] {
  return findings.list().map(({ rule }) => rule);
}

/** Every request of a finding is in the journal, in its order. */
export function expectInJournal({ findings, requests }: Emulator): void {
  const all = requests.list().map(({ requestId }) => requestId);
  for (const finding of findings.list()) {
    expect(finding.requests.length).toBeGreaterThan(0);
    expect(all.filter((id) => finding.requests.includes(id))).toEqual(finding.requests);
  }
}
