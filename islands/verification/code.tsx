import {
  type ClipboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useListener } from '../page/components';
import { controls, mainButton, showMessage } from '../page/form';
import { maskWhile } from '../page/toast';
import { type Answer, askForCode, codeIn, digitsIn } from './ask-code';
import { useCountdown } from './countdown';
import { otherTabs } from './other-tabs';

/** What the server prints for a code field. */
export type CodeProps = {
  /** The id and the name of the control. */
  id: string;
  label: string;
  /** How many characters the control takes before a script has read them. */
  maxLength: number;
  /** How many digits a code has. */
  digits: number;
  enterKeyHint: 'next' | 'go';
  value: string;
  hint: string;
  /** What is wrong with the code. */
  message: string;
  /** The result of the last request for a code. */
  said: string;
  /** The value of the button, which sends the form without scripts. */
  action: string;
  /** The address that sends codes; with '' the form asks for them. */
  url: string;
  /** What the code is for. */
  purpose: string;
  /** Names of the form's controls whose values the request for a code contains. */
  send: string[];
  /** Seconds until the server sends the next code; 0 when none was sent. */
  seconds: number;
  /** The button's texts, and the hint during the proof of work. `wait` contains `{num}`, the seconds left. */
  texts: { send: string; wait: string; working: string; proving: string };
};

/** How long a request for a code may take, with the proof of work, in milliseconds. Then the form is submitted. */
const TIMEOUT_MS = 15_000;

/** A code field with the button that asks for a code without leaving the page, and counts down to the next one. */
export default function CodeField(props: CodeProps) {
  const { id, url, purpose, send, texts } = props;
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [message, setMessage] = useState(props.message);
  const [status, setStatus] = useState({ text: props.said, isRefusal: false });
  const [phase, setPhase] = useState<'ready' | 'asking' | 'plain'>('ready');
  // number of codes requested; 0: none is expected
  const [requestCount, setRequestCount] = useState(props.seconds ? 1 : 0);
  const countdown = useCountdown(props.seconds);
  const isSubmitting = useRef(!url); // the form is being submitted, so presses are not intercepted
  const limit = useRef<AbortController>(null);
  const lastTried = useRef(props.value); // after a refusal, the refused code
  const tabs = useRef<ReturnType<typeof otherTabs>>(null);
  const isAsking = useRef(false);
  isAsking.current = phase === 'asking';

  const input = () => field.current as HTMLInputElement;
  const form = () => field.current?.form as HTMLFormElement;
  const say = (text: string, isRefusal = false) => setStatus({ text, isRefusal });

  async function ask(): Promise<void> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), TIMEOUT_MS);
    limit.current = giveUp;
    setPhase('asking');
    setRequestCount((count) => count + 1);
    try {
      show(
        await maskWhile(
          texts.working,
          askForCode(url, form(), send, purpose, giveUp.signal, () => say(texts.proving)),
        ),
      );
      setPhase('ready');
    } catch {
      say('');
      setPhase(isSubmitting.current ? 'ready' : 'plain');
    }
    clearTimeout(timer);
  }

  function show({ isSent, message = '', fields = {}, resend_after }: Answer): void {
    const named = (name: string) => controls(form()).find((control) => control.name === name);
    const refused = Object.keys(fields).filter(named);
    for (const name of new Set([...send, ...refused])) {
      const control = named(name);
      if (control && control !== field.current) {
        showMessage(control, fields[name] || '');
      }
    }
    setMessage(fields[id] || '');
    say(refused.length ? '' : message, !isSent && !refused.length);
    (refused[0] ? named(refused[0]) : isSent || resend_after ? field.current : button.current)?.focus();
    if (isSent) {
      input().select(); // the new code replaces an older one
    }
    if (resend_after) {
      const until = Date.now() + resend_after * 1000;
      countdown.start(until);
      tabs.current?.send({ purpose, until });
    }
  }

  function press(event: MouseEvent): void {
    if (!isSubmitting.current) {
      event.preventDefault();
      if (phase !== 'asking') {
        ask();
      }
    }
  }

  /** Removes everything but digits, and presses the main button once when a new code completes the form. */
  function edit({ nativeEvent }: SyntheticEvent): void {
    if ((nativeEvent as InputEvent).isComposing) {
      return; // compositionend follows
    }
    setMessage('');
    const { value, selectionStart } = input();
    const digits = digitsIn(value).slice(0, props.digits);
    if (digits !== value) {
      const caret = digitsIn(value.slice(0, selectionStart as number)).length;
      input().value = digits;
      input().setSelectionRange(caret, caret);
    }
    const isMissing = ({ validity }: HTMLInputElement) => validity.valueMissing;
    if (digits.length === props.digits && digits !== lastTried.current && !controls(form()).some(isMissing)) {
      lastTried.current = digits;
      mainButton(form())?.click();
    }
  }

  function fill(code: string): void {
    input().value = code;
    input().dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser would cut the message at maxlength before anyone could find the code in it.
  function paste(event: ClipboardEvent): void {
    const code = codeIn(event.clipboardData.getData('text'), props.digits);
    if (code) {
      event.preventDefault();
      fill(code);
    }
  }

  function leave(): void {
    isSubmitting.current = true;
    limit.current?.abort();
    setRequestCount(0);
  }

  useListener(form, 'submit', leave);
  useListener(() => window, 'pagehide', leave); // a request aborted here must not submit the form
  useListener<PageTransitionEvent>(
    () => window,
    'pageshow',
    ({ persisted }) => {
      if (persisted) {
        isSubmitting.current = !url;
      }
    },
  );
  // By default Enter presses the form's first button, which is the one beside the code. This presses the main one.
  // Browsers submit on keypress, and input methods do not compose then.
  useListener<KeyboardEvent>(form, 'keypress', (event) => {
    const { tagName, type } = event.target as HTMLInputElement;
    const main = mainButton(form());
    if (event.key === 'Enter' && tagName === 'INPUT' && type !== 'submit' && main) {
      event.preventDefault();
      main.click();
    }
  });

  useLayoutEffect(() => {
    (button.current as HTMLButtonElement).disabled = false; // Firefox keeps buttons disabled across a reload
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one channel while the field is mounted
  useEffect(() => {
    tabs.current = otherTabs((wait) => {
      if (wait.purpose === purpose && !isAsking.current) {
        countdown.start(wait.until);
      }
    });
    return tabs.current.close;
  }, []);

  // Runs after the render, when the button is no longer busy: the press makes it busy again and submits its value.
  useEffect(() => {
    if (phase === 'plain') {
      isSubmitting.current = true;
      button.current?.click(); // isSubmitting lets the press through, and every browser sends the button's value
    }
  }, [phase]);

  // Reads the code out of the text message where the browser offers it (WebOTP: Chrome on Android).
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request begins the wait again
  useEffect(() => {
    if (!requestCount || !('OTPCredential' in window)) {
      return;
    }
    const waiting = new AbortController();
    const options = { otp: { transport: ['sms'] }, signal: waiting.signal };
    (navigator.credentials.get(options) as Promise<{ code: string } | null>).then(
      (found) => found && fill(found.code),
      () => {}, // no message came, or the person declined
    );
    return () => waiting.abort();
  }, [requestCount]);

  const { left, isRunning } = countdown;
  const isWorking = phase === 'asking';
  const notes = [props.hint && `${id}-hint`, `${id}-sent`, message && `${id}-msg`].filter(Boolean);
  return (
    <>
      <label htmlFor={id}>{props.label}</label>
      <div className="code-row">
        <input
          ref={field}
          className="input num"
          id={id}
          name={id}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck="false"
          maxLength={props.maxLength}
          enterKeyHint={props.enterKeyHint}
          required
          aria-invalid={message ? 'true' : undefined}
          aria-describedby={notes.join(' ')}
          defaultValue={props.value}
          onInput={edit}
          onCompositionEnd={edit}
          onPaste={paste}
        />{' '}
        {/* Its name is what it shows (WCAG 2.5.3), and it is no live region: how long it takes is in the message.
            It is never disabled while it works, which would take the focus away. */}
        <button
          ref={button}
          className={isWorking ? 'button quiet num busy' : 'button quiet num'}
          type="submit"
          name="action"
          value={props.action}
          formNoValidate
          data-busy={texts.working}
          aria-busy={isWorking || undefined}
          disabled={!isWorking && isRunning}
          aria-disabled={(!isWorking && isRunning) || undefined}
          onClick={press}
        >
          {isWorking ? texts.working : left > 0 ? texts.wait.replace('{num}', `${left}`) : texts.send}
        </button>
      </div>
      <p className={status.isRefusal ? 'hint msg' : 'hint'} id={`${id}-sent`} role="status">
        {status.text}
      </p>
      {props.hint && (
        <p className="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {message && (
        <p className="msg" id={`${id}-msg`}>
          {message}
        </p>
      )}
    </>
  );
}
