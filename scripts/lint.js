// Checks what oxlint cannot: that pages lead somewhere, that workflows are valid, that the import
// rules of each folder take effect, and that no retired name comes back. Tells all problems at once.
import { importRuleProblems } from "./lint/import-rules.js";
import { pageProblems } from "./lint/pages.js";
import { retiredNameProblems } from "./lint/retired-names.js";
import { workflowProblems } from "./lint/workflows.js";

const problems = [
  ...(await pageProblems()),
  ...(await workflowProblems()),
  ...importRuleProblems(),
  ...retiredNameProblems(),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
