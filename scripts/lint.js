// Checks what oxlint cannot check: that the paths, links and commands that pages name are there. Prints
// all problems at once.
import { pageProblems } from "./lint/pages.js";

const problems = pageProblems();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
