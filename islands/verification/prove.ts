import { type Proof, work } from './work';

/** How long the work may take, in milliseconds. After that the person answers the question. */
export const PROVE_LIMIT_MS = 15_000;

/**
 * Does the proof of work that the server set, so that the person does not have to answer the question in `element`. The
 * question is hidden when the work is done, unless the person is answering it: the server accepts either.
 */
export default function prove(element: HTMLElement, proof: Proof): void {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), PROVE_LIMIT_MS);
  work(proof, limit.signal)
    .then((found) => {
      (element.querySelector('[name=work]') as HTMLInputElement).value = found;
      const question = element.querySelector('.field') as HTMLElement;
      if (!question.contains(document.activeElement)) {
        question.hidden = true;
      }
    })
    .catch(() => {}) // the person answers the question
    .then(() => clearTimeout(timer));
}
