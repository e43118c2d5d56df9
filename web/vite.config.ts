import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const OUT = "../src/ludus/server/page";

/** Puts the script and the style of a page that stands alone into its one HTML file. */
function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const script = files.find((file) => file.type === "chunk");
      const style = files.find((file) => file.fileName.endsWith(".css"));
      const page = files.find((file) => file.fileName.endsWith(".html"));
      if (script?.type !== "chunk" || style?.type !== "asset" || page?.type !== "asset") {
        throw new Error("a page that stands alone needs one script, one style and one HTML file");
      }
      const code = script.code.replaceAll("</script", "<\\/script");
      page.source = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>/, "")
        .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${String(style.source)}</style>`)
        .replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
      delete bundle[script.fileName];
      delete bundle[style.fileName];
    },
  };
}

export default defineConfig(({ mode }) => {
  // The modes "standalone" and "report" make pages for files that open without a server.
  const alone = mode === "standalone" || mode === "report";
  return {
    plugins: [svelte(), ...(alone ? [singleFile()] : [])],
    base: "/",
    publicDir: alone ? false : "public",
    build: {
      outDir: OUT,
      emptyOutDir: !alone,
      target: "es2022",
      assetsInlineLimit: 0,
      modulePreload: false,
      cssCodeSplit: !alone,
      reportCompressedSize: false,
      rolldownOptions: {
        input: alone ? `${mode}.html` : "index.html",
        ...(alone && { output: { codeSplitting: false } }),
      },
    },
  };
});
