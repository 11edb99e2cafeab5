import { ActionIcon, Menu, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { Icon } from '../../parts/Icon.tsx';
import { FILTER_EXAMPLES } from './filter-examples.ts';
import classes from './FilterBox.module.css';

/** The server's error message for an invalid filter; undefined for other errors. */
export const filterFault = (error: unknown): string | undefined =>
  error instanceof ApiError && (error.status === 400 || error.status === 422) ? error.message : undefined;

/** Input for the filter language. Enter applies the filter; errors appear at the input. */
export function FilterBox({
  filter,
  error,
  onFilter,
}: {
  filter: string;
  error: unknown;
  onFilter: (filter: string) => void;
}) {
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  const use = (wanted: string): void => {
    setText(wanted);
    onFilter(wanted.trim());
  };
  return (
    <form
      role="search"
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        use(text);
      }}
    >
      <TextInput
        aria-label="Filter"
        placeholder='eq(status, "error"), then Enter'
        classNames={{ input: classes.input! }}
        className={classes.box}
        spellCheck={false}
        autoComplete="off"
        leftSection={<Icon name="search" size={14} />}
        rightSection={
          text ? (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label="Clear filter"
              onClick={() => use('')}
            >
              <Icon name="close" size={12} />
            </ActionIcon>
          ) : undefined
        }
        value={text}
        error={filterFault(error)}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Menu
        position="bottom-end"
        width="min(420px, calc(100vw - 32px))"
        withinPortal={false}
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <button type="button" className={classes.examples}>
            Examples
            <Icon name="down" size={11} />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {FILTER_EXAMPLES.map(({ filter: example, finds }) => (
            <Menu.Item key={example} onClick={() => use(example)}>
              <span className={classes.finds}>{finds}</span>
              <code className={classes.code}>{example}</code>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </form>
  );
}
