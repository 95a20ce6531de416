import { render } from "preact";
import { App } from "./app.tsx";
import { wayToServer } from "./data/way.ts";

render(<App way={wayToServer()} />, document.body);
