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
    const response = await fetch(`${this.getAttribute("base-url")}/v2/apis.listKeys`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.getAttribute("token")}`,
        "Content-Type": "application/json",
      },
      // The first page has no cursor; JSON leaves out what is undefined.
      body: JSON.stringify({
        apiId: this.getAttribute("api-id"),
        limit: PAGE,
        cursor: this.#cursor,
      }),
    });
    const { data, pagination, error } = await response.json();
    if (error !== undefined) {
      this.#status.textContent = `${error.title}: ${error.detail}`;
      return;
    }
    this.#rows.append(...data.map(toRow));
    this.#cursor = pagination.cursor;
    this.#more.disabled = !pagination.hasMore;
    const count = this.#rows.children.length;
    this.#status.textContent = pagination.hasMore ? `${count} keys, and more` : `${count} keys`;
  }
}

function toRow({ name, start, enabled }) {
  const row = document.createElement("li");
  row.textContent = `${name ?? "unnamed"} (${start}…)${enabled ? "" : ", disabled"}`;
  return row;
}

customElements.define("key-list", KeyList);
