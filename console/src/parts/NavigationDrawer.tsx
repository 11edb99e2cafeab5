import { Drawer } from '@mantine/core';
import classes from './AppShell.module.css';
import { Brand } from './Brand.tsx';
import { Navigation } from './Navigation.tsx';

/** The ways of narrow windows. */
const NavigationDrawer = ({ onClose }: { onClose: () => void }) => (
  <Drawer
    opened
    onClose={onClose}
    size={260}
    title={<Brand />}
    transitionProps={{ duration: 0 }}
    closeButtonProps={{ 'aria-label': 'Close navigation' }}
    classNames={{ body: classes.drawer!, content: classes.drawerContent! }}
  >
    <Navigation />
  </Drawer>
);

export default NavigationDrawer;
