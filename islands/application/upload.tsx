import { useLayoutEffect, useRef, useState } from 'react';
import { Icon, useListener } from '../page/components';
import { addressOf, isSame, leaveToForm, sender } from './picture';
import { Refused } from './send-picture';
import { shrink } from './shrink-picture';
import { unsentPicture } from './unsent-picture';
import { delayWhileUploading } from './wait-for-upload';

/** What the server prints for an upload field. */
export type UploadProps = {
  /** The id and the name of the control. */
  id: string;
  label: string;
  hint: string;
  message: string;
  isRequired: boolean;
  /** The accepted media types, separated by commas. */
  accept: string;
  /** The picture that the server has: its key, '' for none, and its address. */
  attached: string;
  preview: string;
  /** The address that takes a picture, and the token that the upload needs. */
  url: string;
  token: string;
  /** The largest picture, in bytes. */
  max: number;
  /** `progress` contains `{num}`, the percent; `optional` is '' where a picture is required. */
  texts: Record<
    | ('optional' | 'attached' | 'removeBox' | 'camera' | 'choose' | 'drag' | 'replace' | 'cancel' | 'remove')
    | 'preparing'
    | ('progress' | 'finishing' | 'done' | 'removed' | 'cancelled' | 'wrongType' | 'tooLarge' | 'already' | 'failed')
    | ('withForm' | 'waiting' | 'notSent' | 'again'),
    string
  >;
} & ReturnType<typeof live>;

/** Whether the person ticked the box that removes the picture before the script loaded. */
export function live(element: HTMLElement) {
  return { isRemoved: !!element.querySelector<HTMLInputElement>('[type=checkbox]')?.checked };
}

/**
 * A picture that is being sent: what is shown of it, and how much has arrived, in percent (undefined: not sent yet).
 */
type Sending = { preview?: string; percent?: number };

/** The result of sending a picture. */
type Outcome = 'arrived' | 'withForm' | 'refused' | 'cancelled';

/**
 * A field that sends one picture ahead of the form: from the camera, from a file, or dragged anywhere onto the page. It
 * makes the picture smaller, and shows a preview and the progress. The picture's key goes into the hidden `…_key`, and
 * the file control then sends nothing. If the upload fails, the form sends the picture. The form waits while an upload
 * runs. If the person chooses several pictures meanwhile, the last one counts.
 */
export default function UploadField(props: UploadProps) {
  const { id, texts } = props;
  const field = useRef<HTMLDivElement>(null);
  const control = useRef<HTMLInputElement>(null);
  const chooser = useRef<HTMLButtonElement>(null);
  const canceller = useRef<HTMLButtonElement>(null);
  const [isAlive, setAlive] = useState(false);
  const [isOver, setOver] = useState(false); // a file is being dragged over the page
  const [sending, setSending] = useState<Sending>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [attached, setAttached] = useState({ key: props.attached, preview: props.preview });
  const [isRemoved, setRemoved] = useState(props.isRemoved);
  const [isNamed, setNamed] = useState(true); // the file control has a name, so the form sends its file
  const [message, setMessage] = useState(props.message);
  const [status, setStatus] = useState('');
  const [deliver] = useState(() => sender(props.url, props.token));
  const [unsentMark] = useState(() => unsentPicture(id));
  const delayedForm = useRef<ReturnType<typeof delayWhileUploading>>(null);
  const file = useRef<File>(null); // the file with this key, if this page sent it
  const limit = useRef<AbortController>(null);
  const next = useRef<File>(null); // chosen while another upload was running

  const input = () => control.current as HTMLInputElement;

  async function take(chosen: File): Promise<void> {
    setMessage('');
    setStatus('');
    if (!props.accept.split(',').includes(chosen.type)) {
      setMessage(texts.wrongType);
      return;
    }
    if (file.current && (await isSame(file.current, chosen))) {
      setStatus(texts.already);
      return;
    }
    const giveUp = new AbortController();
    limit.current = giveUp;
    unsentMark.note(true);
    setSending({});
    const result = await sendAhead(chosen, giveUp.signal);
    unsentMark.note(result === 'withForm'); // until the form is submitted
    const following = next.current;
    next.current = null;
    if (following) {
      await take(following);
    } else {
      limit.current = null;
      setSending(undefined);
      setOutcome(result);
    }
  }

  async function sendAhead(chosen: File, signal: AbortSignal): Promise<Outcome> {
    let picture: Blob = chosen;
    try {
      picture = await shrink(chosen);
      if (picture.size > props.max) {
        throw new Refused(texts.tooLarge);
      }
      const preview = await addressOf(picture);
      if (signal.aborted) {
        throw signal;
      }
      const show = (percent: number) => signal.aborted || setSending({ preview, percent });
      show(0);
      const answer = await deliver(picture, chosen.name, show, signal);
      file.current = chosen;
      settle(answer.key as string, preview, false);
      setStatus(answer.message || texts.done);
      return 'arrived';
    } catch (error) {
      if (signal.aborted) {
        setStatus(next.current ? '' : texts.cancelled);
        return 'cancelled';
      }
      if (!(error instanceof Refused) && mayGoWithForm() && leaveToForm(input(), picture, chosen.name)) {
        file.current = null;
        setNamed(true);
        setStatus(texts.withForm);
        return 'withForm';
      }
      setMessage(error instanceof Refused ? error.message : texts.failed);
      return 'refused';
    }
  }

  const mayGoWithForm = () => input().form?.enctype === 'multipart/form-data';

  function settle(key: string, preview: string, isGone: boolean): void {
    setAttached({ key, preview });
    setRemoved(isGone);
    setNamed(false);
  }

  function remove(): void {
    input().value = '';
    file.current = null;
    unsentMark.note(false);
    setMessage('');
    setOutcome(undefined);
    settle('', '', true);
    setStatus(texts.removed);
    chooser.current?.focus();
  }

  /** Opens the camera or the file picker. */
  function open(isCamera: boolean): void {
    if (isCamera) {
      input().setAttribute('capture', 'environment');
    } else {
      input().removeAttribute('capture');
    }
    input().click();
  }

  function chosenFile(): void {
    const chosen = input().files?.[0];
    if (chosen) {
      input().value = ''; // otherwise choosing the same file again fires no event
      takeNext(chosen);
    }
  }

  /** Sends a file, after the one that is being sent. */
  function takeNext(chosen: File): void {
    if (limit.current) {
      next.current = chosen;
      limit.current.abort();
    } else {
      take(chosen);
    }
  }

  // Without these listeners the browser would open the file instead of the page, and the form would be gone.
  useListener(
    () => window,
    'dragover',
    (event: DragEvent) => {
      if (hasFiles(event)) {
        event.preventDefault();
        setOver(true);
      }
    },
  );
  useListener(
    () => window,
    'dragleave',
    (event: DragEvent) => event.relatedTarget || setOver(false),
  );
  useListener(
    () => window,
    'drop',
    (event: DragEvent) => {
      const dropped = event.dataTransfer?.files[0];
      setOver(false);
      if (hasFiles(event)) {
        event.preventDefault();
      }
      if (dropped) {
        takeNext(dropped);
      }
    },
  );

  useListener(
    () => input().form,
    'submit',
    ({ defaultPrevented }) => defaultPrevented || unsentMark.note(false),
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, after hydration
  useLayoutEffect(() => {
    delayedForm.current = delayWhileUploading(
      input().form as HTMLFormElement,
      () => !!limit.current,
      () => setStatus(texts.waiting),
    );
    if (unsentMark.was() && !input().files?.length) {
      unsentMark.note(false);
      setStatus(texts.again);
    }
    setAlive(true);
    chosenFile(); // the person may have chosen before this script loaded
    return delayedForm.current.stop;
  }, []);

  // Moves the focus to the control that the person needs next, and submits a form that waited for the picture. This
  // runs after the render: a hidden control takes no focus, and the form must contain the new key.
  const isBusy = !!sending;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when sending begins and ends
  useLayoutEffect(() => {
    if (isBusy) {
      canceller.current?.focus();
    } else if (outcome && delayedForm.current?.isWaiting()) {
      if (outcome === 'refused') {
        setStatus(texts.notSent);
      }
      delayedForm.current.end(outcome === 'arrived' || outcome === 'withForm');
    } else if (outcome && [null, document.body, canceller.current].includes(document.activeElement as HTMLElement)) {
      chooser.current?.focus();
    }
  }, [isBusy]);

  // The draft listens to this event (draft.ts).
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the value that the form sends has changed
  useLayoutEffect(() => {
    if (!isFirst.current) {
      field.current?.dispatchEvent(new Event('input', { bubbles: true }));
    }
    isFirst.current = false;
  }, [attached]);

  const isWithForm = outcome === 'withForm' && isNamed;
  const has = isBusy || isWithForm || (!!attached.key && !isRemoved);
  const picture = sending ? sending.preview : attached.preview;
  const percent = sending?.percent;
  const words = percent === undefined ? texts.preparing : texts.progress.replace('{num}', `${percent}`);
  const notes = [props.hint && `${id}-hint`, message && `${id}-msg`].filter(Boolean).join(' ') || undefined;
  const preview = picture && <img src={picture} alt={texts.attached} />;
  return (
    <div ref={field} className={isAlive && has ? 'field upload has' : 'field upload'}>
      <label htmlFor={id} id={`${id}-label`}>
        {`${props.label} `}
        {texts.optional && <span className="small muted">{texts.optional}</span>}
      </label>{' '}
      {props.hint && (
        <p className="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {!isAlive && preview}
      {props.attached && (
        <>
          {' '}
          <label className="check" hidden={isAlive}>
            <input
              type="checkbox"
              name={`${id}_remove`}
              value="1"
              checked={isRemoved}
              onChange={({ currentTarget }) => setRemoved(currentTarget.checked)}
            />
            {` ${texts.removeBox}`}
          </label>{' '}
        </>
      )}
      {/* The label, and links to the field, lead to the button when there is one. */}
      <input
        ref={control}
        className="input"
        id={isAlive ? `${id}-file` : id}
        name={isNamed ? id : undefined}
        type="file"
        accept={props.accept}
        required={props.isRequired && (isAlive ? !has : !props.attached)}
        aria-invalid={message ? 'true' : undefined}
        aria-describedby={notes}
        hidden={isAlive}
        onChange={chosenFile}
      />{' '}
      <input type="hidden" name={`${id}_key`} value={attached.key} />{' '}
      {isAlive && (
        <>
          <div className="shown" hidden={!has}>
            {preview}
            <progress
              key={`${percent === undefined}`}
              max="100"
              value={percent}
              aria-labelledby={`${id}-progress`}
              hidden={!isBusy}
            />
            <span className="small muted" id={`${id}-progress`} hidden={!isBusy}>
              {percent === 100 ? texts.finishing : words}
            </span>
          </div>
          <div className={hasCamera() ? 'tools' : `tools zone ${isOver ? 'over' : ''}`}>
            <button
              className="button quiet"
              type="button"
              data-do="camera"
              hidden={isBusy || !hasCamera()}
              onClick={() => open(true)}
            >
              <Icon path={CAMERA} />
              {texts.camera}
            </button>
            <button
              ref={chooser}
              className="button quiet"
              type="button"
              data-do="choose"
              id={id}
              aria-labelledby={`${id}-label ${id}`}
              aria-describedby={notes}
              hidden={isBusy}
              onClick={() => open(false)}
            >
              <Icon path={UPLOAD} />
              <span>{has ? texts.replace : texts.choose}</span>
            </button>
            <span className="small muted" hidden={isBusy || hasCamera()}>
              {texts.drag}
            </span>
            <button
              ref={canceller}
              className="button quiet"
              type="button"
              data-do="cancel"
              hidden={!isBusy}
              onClick={() => limit.current?.abort()}
            >
              {texts.cancel}
            </button>
            <button className="button quiet" type="button" data-do="remove" hidden={isBusy || !has} onClick={remove}>
              {texts.remove}
            </button>
          </div>
          <p className="hint" role="status">
            {status}
          </p>
        </>
      )}
      {message && (
        <p className="msg" id={`${id}-msg`} role={message === props.message ? undefined : 'alert'}>
          {message}
        </p>
      )}
    </div>
  );
}

const CAMERA =
  'M8 7l1.4-2q.4-.5 1-.5h3.2q.6 0 1 .5L16 7h2.5Q20 7 20 8.5v9Q20 19 18.5 19h-13Q4 19 4 17.5v-9Q4 7 5.5 7z' +
  'M15.5 12.8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0z';
const UPLOAD = 'M12 15.5V4M7 9l5-5 5 5M4 15.5V18a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2.5';

function hasCamera(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}

/** Whether files are dragged, not a text or a link. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return !!dataTransfer?.types.includes('Files');
}
