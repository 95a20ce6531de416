import { Collection, type ShownRecords } from "./collection.ts";

interface NamedRecords<Init, Item extends object> extends ShownRecords<Init, Item> {
  named(name: string): Item | undefined;
}

/** Records that calls refer to by name: roles, permissions, identities, namespaces of rate limits. */
export class NamedCollection<Init extends object, Item extends object> extends Collection<
  Init,
  Item
> {
  readonly #records: NamedRecords<Init, Item>;

  constructor(records: NamedRecords<Init, Item>) {
    super(records);
    this.#records = records;
  }

  /** The record with this name, or external id. */
  named(name: string): Item | undefined {
    return this.#records.named(name);
  }
}
