// How long the cases take depends on the machine.
module.exports = {
  test: { include: ["test/world/waits/_programs/vitest.test.js"], testTimeout: 120_000 },
};
