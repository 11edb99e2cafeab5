import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Outlet, useLocation, useNavigation } from 'react-router';
import classes from './AppShell.module.css';
import { Brand } from './Brand.tsx';
import { Icon } from './Icon.tsx';
import { Navigation } from './Navigation.tsx';

const NavigationDrawer = lazy(() => import('./NavigationDrawer.tsx'));

/** Page layout: navigation on the left, or in a drawer on narrow screens, and the page. */
export function Component() {
  const [isOpen, drawer] = useDisclosure(false);
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    drawer.close();
    // Moves focus to the new page, so that screen readers announce it.
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <aside aria-label="Top" className={classes.top}>
        <ActionIcon variant="subtle" color="gray" aria-label="Open navigation" onClick={drawer.open}>
          <Icon name="menu" size={18} />
        </ActionIcon>
        <Brand />
      </aside>
      <aside aria-label="Slipway" className={classes.side}>
        <Brand />
        <Navigation />
      </aside>
      {isOpen && (
        <Suspense>
          <NavigationDrawer onClose={drawer.close} />
        </Suspense>
      )}
      <main
        ref={main}
        id="main"
        tabIndex={-1}
        className={classes.main}
        aria-busy={navigation.state === 'loading'}
      >
        <Outlet />
      </main>
    </div>
  );
}
