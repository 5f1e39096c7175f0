// For versions of Node that take a `.js` file for CommonJS unless a package.json says otherwise, which the page has not.

export const load = (url, context, next) => next(url, /\/web\/.*\.js$/.test(url) ? { ...context, format: 'module' } : context)
