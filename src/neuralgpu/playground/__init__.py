"""The page that runs networks in the browser: `page/` is built from `web/`, the modules here serve and export it."""
