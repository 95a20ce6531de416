import { ApiError, defineOperation } from "latchkey";
import * as z from "zod";

const slug = z.string().regex(/^[a-z][a-z-]*$/, "Use small letters and dashes.");
const output = z.object({ data: z.object({ slug, createdAt: z.int() }) });

/** The projects, by slug. A reset forgets them. Both operations name it, so they share them. */
const projects = () => new Map();

const createProject = defineOperation({
  contract: {
    name: "projects.createProject",
    method: "POST",
    path: "/v2/projects.createProject",
    summary: "Create a project",
    input: z.strictObject({ slug }),
    output,
  },
  state: projects,
  requires: () => [{ oneOf: ["project.*.create_project"] }],

  run({ input, now, state }) {
    if (state.has(input.slug)) {
      const type = "unkey/data/project_already_exists";
      throw new ApiError("CONFLICT", `The project ${input.slug} exists already.`, { type });
    }
    state.set(input.slug, { slug: input.slug, createdAt: now });
    return { data: state.get(input.slug) };
  },
});

const getProject = defineOperation({
  contract: {
    name: "projects.getProject",
    method: "POST",
    path: "/v2/projects.getProject",
    summary: "Show a project",
    isReadOnly: true,
    input: z.strictObject({ slug }),
    output,
  },
  state: projects,
  requires: () => [{ oneOf: ["project.*.read_project"] }],

  run({ input, state }) {
    const project = state.get(input.slug);
    if (project === undefined) {
      const type = "unkey/data/project_not_found";
      throw new ApiError("NOT_FOUND", "The requested project does not exist.", { type });
    }
    return { data: project };
  },
});

export default [createProject, getProject];
