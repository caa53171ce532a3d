/// The reason why bytes are not a valid block (a compressed group of samples), or why samples cannot be
/// stored in one.
package enum BlockError: Error, Hashable, Sendable {
  /// The bytes end before the end of the block.
  case cut
  /// The block has a version that this program does not support.
  case version(UInt8)
  case checksum
  /// The number of samples is zero or exceeds the maximum of a block.
  case count(UInt64)
  /// The lengths of the columns do not add up to the length of the block.
  case lengths
  case column(BlockColumn)
  /// A sample starts before the previous one.
  case descendingStarts
  /// A sample ends before it starts, or after the last representable time.
  case end
  /// A value is NaN.
  case notANumber
  /// A change number (the position of a sample in the store's change log) is 0 or negative.
  case change
  /// The columns contain different numbers of samples.
  case unequalColumns
}

/// The columns of a block, in the order in which they are stored.
package enum BlockColumn: Int, CaseIterable, Hashable, Sendable {
  case starts, durations, values, changes, identities
  /// The address of the monitor that sent all of the samples. Version 1 does not have this column.
  case monitor
}

extension BlockError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cut: "the compressed data is truncated"
    case .version(let version):
      "the compressed data has version \(version), which this program does not support; update it"
    case .checksum: "the checksum of the compressed data is wrong"
    case .count(let count): "the compressed data claims to have \(count) samples"
    case .lengths: "the columns do not match the size of the compressed data"
    case .column(let column): "the column \(column) of the compressed data is damaged"
    case .descendingStarts: "a compressed sample starts before the previous one"
    case .end: "a compressed sample ends before it starts"
    case .notANumber: "a value of a compressed sample is not a number"
    case .change: "a compressed sample has no position in the change log"
    case .unequalColumns: "the columns of the compressed data have different numbers of samples"
    }
  }
}
