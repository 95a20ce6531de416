// @vitest-environment happy-dom
import { testEnvironment } from "./_suite.ts";

testEnvironment();
