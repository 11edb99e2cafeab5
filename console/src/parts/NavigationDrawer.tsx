import { Drawer } from '@mantine/core';
import classes from './AppShell.module.css';
import { Brand } from './Brand.tsx';
import { Navigation } from './Navigation.tsx';

/** Navigation on narrow screens. The design system's own header would be a second banner landmark. */
const NavigationDrawer = ({ onClose }: { onClose: () => void }) => (
  <Drawer.Root
    opened
    onClose={onClose}
    size={260}
    transitionProps={{ duration: 0 }}
    classNames={{ body: classes.drawer!, content: classes.drawerContent! }}
  >
    <Drawer.Overlay />
    <Drawer.Content aria-label="Navigation">
      <div className={classes.drawerHead}>
        <Brand />
        <Drawer.CloseButton aria-label="Close navigation" />
      </div>
      <Drawer.Body>
        <Navigation />
      </Drawer.Body>
    </Drawer.Content>
  </Drawer.Root>
);

export default NavigationDrawer;
