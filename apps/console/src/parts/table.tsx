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

/** More columns than these do not fit beside each other on a narrow screen. */
const MAX_NARROW_COLUMNS = 4

/** A table whose first column names the rows. */
export function Table<Row>({ caption, columns, rows, keyOf }: Properties<Row>) {
  const [first, ...others] = columns
  return (
    <div class="table">
      <table data-wide={columns.length > MAX_NARROW_COLUMNS}>
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
              <th scope="row" data-title={first?.title}>
                {first?.cell(row)}
              </th>
              {others.map(({ title, cell, isNumber }) => (
                <td key={title} data-title={title} data-number={isNumber}>
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
