/** What went wrong with a form, announced when it appears; nothing while the text is empty. */
export function Problem({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
