import {
  type ClipboardEvent,
  type MouseEvent,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { type Answer, askForCode, codeIn, digitsIn } from './askcode';
import { TOAST_SHORT_MS } from './constants';
import { useCountdown } from './countdown';
import { controls, mainButton, showMessage } from './form';
import { useListener } from './parts';
import { otherTabs } from './tabs';
import { during, toast } from './toast';

/** What the server says of a code field. */
export type CodeProps = {
  /** Also the name. */
  id: string;
  label: string;
  maxLength: number;
  enterKeyHint: 'next' | 'go';
  value: string;
  hint: string;
  /** What is wrong with the code. */
  message: string;
  /** What came of the last press. */
  said: string;
  /** The value of the button, which sends the form without scripts. */
  action: string;
  /** Where codes are asked for; '' leaves that to the form. */
  url: string;
  /** What the code is for. */
  purpose: string;
  /** Names of the form's controls that go with the question. */
  send: string[];
  /** How long until the next code, in seconds; 0 when none was sent. */
  seconds: number;
  /** The button's words, and what the hint says during the proof. `wait` holds `{num}`, the seconds left. */
  texts: { send: string; wait: string; working: string; proving: string };
};

/** How long asking may take, a proof included, in milliseconds; then the form is sent the plain way. */
const TIMEOUT_MS = 15_000;

/** A code field with the button that asks for a code without leaving the page, and counts down to the next one. */
export default function CodeField(props: CodeProps) {
  const { id, maxLength, url, purpose, send, texts } = props;
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [message, setMessage] = useState(props.message);
  const [said, setSaid] = useState({ text: props.said, isRefusal: false });
  const [phase, setPhase] = useState<'ready' | 'asking' | 'plain'>('ready');
  const [awaited, setAwaited] = useState(props.seconds ? 1 : 0); // codes that were asked for; 0: none is awaited
  const countdown = useCountdown(props.seconds);
  const isLeaving = useRef(!url); // the form is on its way, and what is pressed now is its own
  const limit = useRef<AbortController>(null);
  const tried = useRef(props.value); // after a refusal, the refused code
  const tabs = useRef<ReturnType<typeof otherTabs>>(null);
  const isAsking = useRef(false);
  isAsking.current = phase === 'asking';

  const input = () => field.current as HTMLInputElement;
  const form = () => field.current?.form as HTMLFormElement;
  const say = (text: string, isRefusal = false) => setSaid({ text, isRefusal });

  async function ask(): Promise<void> {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), TIMEOUT_MS);
    limit.current = giveUp;
    setPhase('asking');
    setAwaited((count) => count + 1);
    try {
      show(
        await during(
          texts.working,
          askForCode(url, form(), send, purpose, giveUp.signal, () => say(texts.proving)),
        ),
      );
      setPhase('ready');
    } catch {
      say('');
      setPhase(isLeaving.current ? 'ready' : 'plain');
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
      input().select(); // an older code is worth nothing now
      toast(message, { time: TOAST_SHORT_MS, isHeard: true }); // it stays in the hint
    }
    if (resend_after) {
      const until = Date.now() + resend_after * 1000;
      countdown.start(until);
      tabs.current?.tell({ purpose, until });
    }
  }

  function press(event: MouseEvent): void {
    if (!isLeaving.current) {
      event.preventDefault();
      if (phase !== 'asking') {
        ask();
      }
    }
  }

  /** Keeps the field to digits, and presses the main button once when a new code is all that the form lacked. */
  function edit({ nativeEvent }: SyntheticEvent): void {
    if ((nativeEvent as InputEvent).isComposing) {
      return; // compositionend comes
    }
    setMessage('');
    const { value, selectionStart } = input();
    const digits = digitsIn(value).slice(0, maxLength);
    if (digits !== value) {
      const caret = digitsIn(value.slice(0, selectionStart as number)).length;
      input().value = digits;
      input().setSelectionRange(caret, caret);
    }
    const isMissing = ({ validity }: HTMLInputElement) => validity.valueMissing;
    if (digits.length === maxLength && digits !== tried.current && !controls(form()).some(isMissing)) {
      tried.current = digits;
      mainButton(form())?.click();
    }
  }

  function fill(code: string): void {
    input().value = code;
    input().dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser would cut the message at maxlength before anyone could find the code in it.
  function paste(event: ClipboardEvent): void {
    const code = codeIn(event.clipboardData.getData('text'), maxLength);
    if (code) {
      event.preventDefault();
      fill(code);
    }
  }

  function leave(): void {
    isLeaving.current = true;
    limit.current?.abort();
    setAwaited(0);
  }

  useListener(form, 'submit', leave);
  useListener(() => window, 'pagehide', leave); // what is given up then is not to be sent the plain way
  useListener<PageTransitionEvent>(
    () => window,
    'pageshow',
    ({ persisted }) => {
      if (persisted) {
        isLeaving.current = !url;
      }
    },
  );
  // Enter presses a form's first button, which would be the one beside the code; here it presses the main one.
  // keypress: no input method composes then, and it is what browsers submit on.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: one channel as long as the field is there
  useEffect(() => {
    tabs.current = otherTabs((wait) => {
      if (wait.purpose === purpose && !isAsking.current) {
        countdown.start(wait.until);
      }
    });
    return tabs.current.close;
  }, []);

  // Not while the button still shows that it works: the press shows that anew, and says what is sent.
  useEffect(() => {
    if (phase === 'plain') {
      isLeaving.current = true;
      button.current?.click(); // not intercepted now: the form goes with this button, in every browser
    }
  }, [phase]);

  // Reads the code out of the text message where the browser offers it (WebOTP: Chrome on Android).
  // biome-ignore lint/correctness/useExhaustiveDependencies: each question begins the wait anew
  useEffect(() => {
    if (!awaited || !('OTPCredential' in window)) {
      return;
    }
    const waiting = new AbortController();
    const asked = { otp: { transport: ['sms'] }, signal: waiting.signal };
    (navigator.credentials.get(asked) as Promise<{ code: string } | null>).then(
      (found) => found && fill(found.code),
      () => {}, // none came, or it was not wanted
    );
    return () => waiting.abort();
  }, [awaited]);

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
          maxLength={maxLength}
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
      <p className={said.isRefusal ? 'hint msg' : 'hint'} id={`${id}-sent`} role="status">
        {said.text}
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
