// Before anything is painted: the scheme somebody chose, or that of their system.
(() => {
  let chosen;
  try {
    chosen = localStorage.getItem('slipway.color-scheme');
  } catch {
    // Storage is switched off; the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
})();
