import { Unkey } from "@unkey/api";
import { Unkey as Unkey2 } from "unkey-api-2";
import type { Emulator, EmulatorOptions } from "../../../src/index.ts";
import type { Reached } from "../../_reach.ts";

/** An API with 250 keys, one with 101, and two without. */
export const world: EmulatorOptions = {
  fixtures: [
    {
      apis: [
        { id: "api_many" },
        { id: "api_some" },
        { id: "api_one", storeEncryptedKeys: true },
        { id: "api_two" },
      ],
      generate: [
        { apiId: "api_many", count: 250 },
        { apiId: "api_some", count: 101 },
      ],
    },
  ],
};

/** The root key of these programs: as long as a real one. */
export const ROOT = "unkey_3ZcA9kTqWmVbN7Lx4";

export function newer(url: string): Unkey2 {
  return new Unkey2({ rootKey: ROOT, serverURL: url, retryConfig: { strategy: "none" } });
}

export function older(url: string): Unkey {
  return new Unkey({ rootKey: ROOT, baseUrl: url });
}

/** A call of v2 without a client library. */
export function call(
  url: string,
  operation: string,
  body: object,
  token = ROOT,
): Promise<Response> {
  return fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** A page of `apis.listKeys` of v2. */
export async function page(url: string, body: object) {
  return (await call(url, "apis.listKeys", body)).json();
}

/** A call of v1 whose input is a query. */
export function get(url: string, operation: string, query: Record<string, string>) {
  return fetch(`${url}/v1/${operation}?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${ROOT}` },
  });
}

/** A program that runs against an emulator. */
export type Program = (reached: Reached) => Promise<unknown>;

/** The rules that found something, each once for each finding. */
export function rulesOf({ findings }: Pick<Emulator, "findings">): string[] {
  return findings.list().map(({ rule }) => rule);
}
