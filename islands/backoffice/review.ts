import watchLicence from './licence';
import watchRejection from './reject';

/** Starts the islands of the page of an application in one chunk: the form that rejects it, and its licence. */
export default function watchReview(element: HTMLElement): void {
  (element instanceof HTMLDetailsElement ? watchRejection : watchLicence)(element);
}
