// @vitest-environment jsdom
import { testEnvironment } from "./_suite.ts";

testEnvironment();
