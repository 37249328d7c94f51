import type { ComponentChildren } from 'preact'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand right. */
  readonly isNumber?: boolean
}

interface Properties<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string | number
}

/** A table whose first column names the rows. It scrolls on a narrow screen. */
export function Table<Row>({ caption, columns, rows, keyOf }: Properties<Row>) {
  const [first, ...others] = columns
  return (
    // Focusable, so that a keyboard can scroll it.
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" data-number={isNumber}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map(({ title, cell, isNumber }) => (
                <td key={title} data-number={isNumber}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
