/** Which keys a key replaces and is replaced by. */
interface Rotation {
  readonly replaces?: string | undefined;
  readonly replacedBy?: string | undefined;
}

/** Which key replaced which, by their ids. The service tells it nowhere, so no operation reads it. */
export class Rotations {
  readonly #byId = new Map<string, Rotation>();

  note(oldId: string, newId: string): void {
    this.#byId.set(oldId, { ...this.of(oldId), replacedBy: newId });
    this.#byId.set(newId, { replaces: oldId });
  }

  /** Empty for a key that was neither replaced nor replaces another one. */
  of(keyId: string): Rotation {
    return this.#byId.get(keyId) ?? {};
  }

  forget(keyIds: ReadonlySet<string>): void {
    for (const id of keyIds) this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
  }
}
