const PAGE = 10;

/** `<key-list base-url="…" api-id="…" token="…">`: the keys of an API, a page at a time. */
export class KeyList extends HTMLElement {
  #cursor;
  #rows = document.createElement("ul");
  #more = document.createElement("button");
  #status = document.createElement("p");

  connectedCallback() {
    this.#more.textContent = "More";
    this.#more.addEventListener("click", () => this.load());
    this.#status.setAttribute("role", "status");
    this.replaceChildren(this.#rows, this.#more, this.#status);
    void this.load();
  }

  /** Shows the next page. */
  async load() {
    this.#more.disabled = true;
    const query = new URLSearchParams({ apiId: this.getAttribute("api-id"), limit: PAGE });
    if (this.#cursor !== undefined) query.set("cursor", this.#cursor);
    const response = await fetch(`${this.getAttribute("base-url")}/v1/apis.listKeys?${query}`, {
      headers: { Authorization: `Bearer ${this.getAttribute("token")}` },
    });
    const { keys, cursor, total, error } = await response.json();
    if (error !== undefined) {
      this.#status.textContent = `${error.code}: ${error.message}`;
      return;
    }
    this.#rows.append(...keys.map(toRow));
    this.#cursor = cursor;
    this.#more.disabled = cursor === undefined;
    this.#status.textContent = `${this.#rows.children.length} of ${total}`;
  }
}

function toRow({ name, start, enabled }) {
  const row = document.createElement("li");
  row.textContent = `${name ?? "unnamed"} (${start}…)${enabled ? "" : ", disabled"}`;
  return row;
}

customElements.define("key-list", KeyList);
