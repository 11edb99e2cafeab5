import { Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { chooseTenant } from '../api/http.ts';
import { type Session, sessionKey, signOut } from '../api/session.ts';
import { AccountButton } from './Account.tsx';
import { Icon, type IconName } from './Icon.tsx';

const SCHEMES: { value: 'light' | 'dark' | 'auto'; label: string; icon: IconName }[] = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
  { value: 'auto', label: 'System', icon: 'system' },
];

/** Menu with workspaces, colour scheme and sign-out. */
export default function AccountMenu({ session }: { session: Session }) {
  const queries = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = async (): Promise<void> => {
    await signOut().catch(() => {});
    queries.setQueryData(sessionKey, null);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  };
  const enter = (tenantId: string): void => {
    chooseTenant(tenantId);
    // Cached data belongs to the previous workspace.
    void queries.resetQueries();
  };
  return (
    <Menu
      defaultOpened
      position="top-start"
      width={188}
      // Keeps the menu within its landmark, and its children limited to menu items.
      withinPortal={false}
      floatingStrategy="fixed"
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <AccountButton session={session} />
      </Menu.Target>
      <Menu.Dropdown>
        {session.grants.length > 1 && (
          <>
            <Menu.Label>Workspace</Menu.Label>
            {session.grants.map(({ tenant_id, role }) => (
              <Menu.Item
                key={tenant_id}
                onClick={() => enter(tenant_id)}
                rightSection={tenant_id === session.tenant_id && <Icon name="check" size={14} />}
              >
                <span className="mono">{tenant_id.slice(0, 8)}</span> · {role}
              </Menu.Item>
            ))}
          </>
        )}
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(({ value, label, icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon name={icon} size={14} />}
            rightSection={colorScheme === value && <Icon name="check" size={14} />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="signOut" size={14} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
