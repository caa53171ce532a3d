import PackedSamples

/// Encodes the voltages of an electrocardiogram without loss.
///
/// The bytes are: a version (1), the LEB128 of the number of times, the times (a `DoubleColumn`), and the
/// LEB128 of the number of leads. Then follow for each lead: its number, its unit (a length in LEB128 and
/// UTF-8), a bit for each time that is 1 if there is a voltage, least significant first, and the voltages (a
/// `DoubleColumn`).
package enum VoltageCodec {
  package static func encode(_ record: VoltageRecord) -> [UInt8] {
    var bytes: [UInt8] = [1]
    LEB128.append(UInt64(record.times.count), to: &bytes)
    DoubleColumn.append(record.times, to: &bytes)
    LEB128.append(UInt64(record.leads.count), to: &bytes)
    for lead in record.leads {
      LEB128.append(UInt64(bitPattern: lead.lead), to: &bytes)
      LEB128.append(UInt64(lead.unit.utf8.count), to: &bytes)
      bytes += lead.unit.utf8
      var measured = [UInt8](repeating: 0, count: (record.times.count + 7) / 8)
      for (index, voltage) in lead.voltages.enumerated() where voltage != nil {
        measured[index / 8] |= 1 << UInt8(index % 8)
      }
      bytes += measured
      DoubleColumn.append(lead.voltages.compactMap(\.self), to: &bytes)
    }
    return bytes
  }

  /// - Returns: The voltages; `nil` for bytes that `encode` never returns. Invalid bytes do not cause a
  ///   crash, and need at most a multiple of their own size in memory.
  package static func decode(_ bytes: [UInt8]) -> VoltageRecord? {
    var position = 1
    guard bytes.first == 1, let declared = LEB128.read(bytes, at: &position),
      let count = Int(exactly: declared),
      let times = DoubleColumn.read(count, bytes, at: &position),
      let leads = LEB128.read(bytes, at: &position),
      leads <= UInt64(bytes.count - position)
    else { return nil }
    var record = VoltageRecord(times: times, leads: [])
    for _ in 0..<leads {
      guard let lead = lead(count, bytes, &position) else { return nil }
      record.leads.append(lead)
    }
    return position == bytes.count ? record : nil
  }

  private static func lead(_ count: Int, _ bytes: [UInt8], _ position: inout Int) -> LeadRecord? {
    guard let number = LEB128.read(bytes, at: &position), let length = LEB128.read(bytes, at: &position),
      length <= UInt64(bytes.count - position)
    else { return nil }
    let unit = String(validating: bytes[position..<position + Int(length)], as: UTF8.self)
    position += Int(length)
    let marks = position
    guard let unit, (count + 7) / 8 <= bytes.count - position else { return nil }
    position += (count + 7) / 8
    let isMeasured = (0..<count).map { bytes[marks + $0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    let measured = isMeasured.count(where: \.self)
    guard let voltages = DoubleColumn.read(measured, bytes, at: &position) else { return nil }
    var next = voltages.makeIterator()
    return LeadRecord(
      lead: Int64(bitPattern: number), unit: unit, voltages: isMeasured.map { $0 ? next.next() : nil })
  }
}
