import Bluetooth

/// Decodes sealed records. Each function returns `nil` if the bytes are invalid or end too early.
struct SealedRecordDecoder {
  private let bytes: [UInt8]
  /// The offset of the next byte.
  private(set) var position = 1
  private var peripherals: [PeripheralIdentity] = []
  private var lastTime: Int64 = 0

  /// - Parameter bytes: The encoded records, including the version byte, which the caller has checked.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func next() -> SealedRecord? {
    guard let tag = byte().flatMap(SealedRecords.Tag.init) else { return nil }
    switch tag {
    case .began:
      guard let setting = setting(), let now = time(), let wall = time() else { return nil }
      return .began(setting, now: now, wall: wall)
    case .continued: return .continued
    case .ended: return time().map { .ended($0) }
    case .interrupted: return time().map { .event(.interrupted($0)) }
    case .clockSet:
      guard let setting = setting(), let time = time() else { return nil }
      return .event(.clockSet(setting, time))
    default:
      guard let peripheral = peripheral() else { return nil }
      return event(tag, of: peripheral).map { .event($0) }
    }
  }

  private mutating func event(_ tag: SealedRecords.Tag, of peripheral: PeripheralIdentity) -> CentralEvent? {
    switch tag {
    case .named: return text().map { .named(peripheral, $0) }
    case .connected: return time().map { .connected(peripheral, $0) }
    case .valueRead:
      guard let characteristic = uuid(), let value = value() else { return nil }
      return .valueRead(peripheral, characteristic, value)
    case .described: return .described(peripheral)
    case .measured: return notification(.heartRateMeasurement, [], of: peripheral)
    case .notified:
      guard let characteristic = uuid(), let marks = byte() else { return nil }
      return notification(characteristic, FrameMarks(rawValue: marks), of: peripheral)
    case .disconnected: return time().map { .disconnected(peripheral, $0) }
    case .released: return .released(peripheral)
    case .gapBegan:
      guard let cause = text(), let time = time() else { return nil }
      return .gapBegan(peripheral, GapCause(rawValue: cause) ?? .unknown, time)
    case .repeated: return varint().flatMap { Int(exactly: $0) }.map { .repeated(peripheral, count: $0) }
    case .began, .continued, .ended, .interrupted, .clockSet: return nil
    }
  }

  private mutating func notification(
    _ characteristic: BluetoothUUID, _ marks: FrameMarks, of peripheral: PeripheralIdentity
  ) -> CentralEvent? {
    guard let time = time(), let value = value() else { return nil }
    return .notified(
      ValueNotification(
        peripheral: peripheral, characteristic: characteristic, value: value, receiptTime: time, marks: marks)
    )
  }

  // MARK: - Parts

  private mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func part(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func varint() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  private mutating func time() -> ReceiptTime? {
    guard let number = varint() else { return nil }
    let difference = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    lastTime = lastTime &+ difference
    return ReceiptTime(microsecondsSince1970: lastTime)
  }

  private mutating func length(atMost limit: Int) -> Int? {
    varint().flatMap { Int(exactly: $0) }.flatMap { $0 <= limit ? $0 : nil }
  }

  private mutating func text() -> String? {
    length(atMost: bytes.count).flatMap { part($0) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func value() -> AttributeValue? {
    // A value has at most 512 bytes (Core Specification, Vol 3, Part F, §3.2.9).
    guard let count = length(atMost: 512), count <= bytes.count - position else { return nil }
    defer { position += count }
    return AttributeValue(bytes.span.bytes.extracting(position..<position + count))
  }

  private mutating func uuid() -> BluetoothUUID? {
    guard let count = byte(), count == 2 || count == 16, Int(count) <= bytes.count - position else {
      return nil
    }
    defer { position += Int(count) }
    return BluetoothUUID(littleEndian: bytes.span.bytes.extracting(position..<position + Int(count)))
  }

  private mutating func setting() -> ClockSetting? {
    guard let boot = text(), let origin = time() else { return nil }
    return ClockSetting(boot: boot, origin: origin)
  }

  private mutating func peripheral() -> PeripheralIdentity? {
    guard let number = byte().map(Int.init) else { return nil }
    if number < peripherals.count { return peripherals[number] }
    guard number == min(peripherals.count, SealedRecords.mostNumbered), let kind = byte() else { return nil }
    let peripheral: PeripheralIdentity
    if kind == 2 {
      guard position + 4 <= bytes.count, let link = bytes.span.bytes.uint32LE(at: position) else {
        return nil
      }
      position += 4
      peripheral = .unidentified(link: link)
    } else {
      guard let kind = BluetoothAddress.Kind(rawValue: kind),
        let address = BluetoothAddress(littleEndian: bytes.span.bytes, at: position, kind: kind)
      else { return nil }
      position += 6
      peripheral = .address(address)
    }
    if number < SealedRecords.mostNumbered { peripherals.append(peripheral) }
    return peripheral
  }
}
