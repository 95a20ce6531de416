// Checks what oxlint cannot check: that the links of pages work, that workflows are valid, that the
// import rules of each folder take effect, and that no retired name is used. Prints all problems at once.
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
