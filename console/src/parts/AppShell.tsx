import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Outlet, useLocation, useNavigation } from 'react-router';
import classes from './AppShell.module.css';
import { Brand } from './Brand.tsx';
import { Icon } from './Icon.tsx';
import { Navigation } from './Navigation.tsx';

const NavigationDrawer = lazy(() => import('./NavigationDrawer.tsx'));

/** What every page is in: the ways at the left, which are a drawer on narrow windows, and the page. */
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
    // Who cannot see the page change hears it: reading goes on at its top.
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <div className={classes.shell}>
      <a href="#main" className={classes.skip}>
        Skip to the page
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
