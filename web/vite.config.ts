import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./", // so that the page works in any folder of any host
  build: {
    outDir: "../src/neuralgpu/playground/page",
    emptyOutDir: true,
    target: "es2022",
    // The first to know light-dark(); for older ones it would be replaced by what the theme button cannot change.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows files, not data: addresses
  },
  worker: { format: "es" },
  server: { host: "127.0.0.1" },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 30_000 },
});
