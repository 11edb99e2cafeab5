import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { feedbackKey, feedbackQuery, createFeedback, deleteFeedback } from '../../api/tracing-feedback.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import classes from './FeedbackPanel.module.css';
import panel from './RunPanel.module.css';

const SCORES = [
  { label: 'Good', value: '1' },
  { label: 'Bad', value: '0' },
  { label: 'Number', value: 'number' },
  { label: 'No score', value: '' },
];

/** Feedback on a run, with a form to add some. */
export function FeedbackPanel({ runId }: { runId: string }) {
  const client = useQueryClient();
  const { data: given, error } = useQuery(feedbackQuery(runId));
  const [key, setKey] = useState('user_score');
  const [choice, setChoice] = useState('1');
  const [number, setNumber] = useState('0.5');
  const [comment, setComment] = useState('');
  const onSuccess = async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: feedbackKey(runId) }),
      client.invalidateQueries({ queryKey: ['runs'] }),
    ]);
  };
  const saving = useMutation({
    mutationFn: createFeedback,
    onSuccess: async () => {
      setComment('');
      await onSuccess();
    },
  });
  const deleting = useMutation({ mutationFn: deleteFeedback, onSuccess });
  const score = choice === 'number' ? Number(number) : choice === '' ? undefined : Number(choice);
  const isNoNumber = choice === 'number' && (number.trim() === '' || Number.isNaN(score));
  return (
    <>
      <ErrorNotice error={error ?? saving.error ?? deleting.error} title="Could not save the feedback" />
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate({
            run_id: runId,
            key,
            ...(score !== undefined && { score }),
            ...(comment && { comment }),
          });
        }}
      >
        <TextInput
          size="xs"
          label="Key"
          value={key}
          required
          withAsterisk={false}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <div>
          <div className={classes.label} id="feedback-score">
            Score
          </div>
          <SegmentedControl
            size="xs"
            aria-labelledby="feedback-score"
            data={SCORES}
            value={choice}
            onChange={setChoice}
          />
        </div>
        {choice === 'number' && (
          <TextInput
            size="xs"
            label="Number"
            inputMode="decimal"
            value={number}
            error={isNoNumber ? 'Not a number' : undefined}
            onChange={(event) => setNumber(event.currentTarget.value)}
            w={90}
          />
        )}
        <TextInput
          size="xs"
          label="Comment"
          className={classes.comment}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Button type="submit" loading={saving.isPending} disabled={isNoNumber}>
          Add feedback
        </Button>
      </form>
      {given?.length === 0 && <p className={panel.note}>No feedback yet.</p>}
      {given && given.length > 0 && (
        <table className={panel.table}>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Score</th>
              <th scope="col">Comment</th>
              <th scope="col" data-wide-only>
                When
              </th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {given.map(({ id, key: of, score, value, comment: text, created_at, feedback_source }) => (
              <tr key={id}>
                <th scope="row">{of}</th>
                <td className="numeric">{score ?? (value === null ? '–' : textOf(value))}</td>
                <td>{text ?? '–'}</td>
                <td data-wide-only>
                  <TimeText at={created_at} /> {feedback_source?.type && `by ${feedback_source.type}`}
                </td>
                <td data-align="right">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Delete ${of}`}
                    onClick={() => deleting.mutate(id)}
                  >
                    <Icon name="trash" size={14} />
                  </ActionIcon>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
