import Bluetooth

struct SealedRecordEncoder {
  private var writer = ByteWriter(capacity: 512)
  private var numbers: [PeripheralIdentity: Int] = [:]
  private var lastTime: Int64 = 0

  var bytes: [UInt8] { writer.bytes }

  init() { writer.append(SealedRecords.version) }

  mutating func append(_ record: SealedRecord) {
    switch record {
    case .began(let setting, let now, let wall):
      append(tag: .began)
      append(setting)
      append(now)
      append(wall)
    case .continued: append(tag: .continued)
    case .ended(let time):
      append(tag: .ended)
      append(time)
    case .event(let event): append(event)
    }
  }

  private mutating func append(_ event: CentralEvent) {
    switch event {
    case .named(let peripheral, let name):
      append(.named, peripheral)
      append(text: name)
    case .connected(let peripheral, let time):
      append(.connected, peripheral)
      append(time)
    case .valueRead(let peripheral, let characteristic, let value):
      append(.valueRead, peripheral)
      append(characteristic)
      append(value)
    case .described(let peripheral): append(.described, peripheral)
    case .notified(let notification): append(notification)
    case .disconnected(let peripheral, let time):
      append(.disconnected, peripheral)
      append(time)
    case .released(let peripheral): append(.released, peripheral)
    case .gapBegan(let peripheral, let cause, let time):
      append(.gapBegan, peripheral)
      append(text: cause.rawValue)
      append(time)
    case .repeated(let peripheral, let count):
      append(.repeated, peripheral)
      append(varint: UInt64(max(0, count)))
    case .interrupted(let time):
      append(tag: .interrupted)
      append(time)
    case .clockSet(let setting, let time):
      append(tag: .clockSet)
      append(setting)
      append(time)
    }
  }

  private mutating func append(_ notification: ValueNotification) {
    // Nearly all records are unmarked Heart Rate Measurements, so encode these without the UUID and the
    // marks.
    if notification.characteristic == .heartRateMeasurement, notification.marks.isEmpty {
      append(.measured, notification.peripheral)
    } else {
      append(.notified, notification.peripheral)
      append(notification.characteristic)
      writer.append(notification.marks.rawValue)
    }
    append(notification.receiptTime)
    append(notification.value)
  }

  // MARK: - Parts

  private mutating func append(tag: SealedRecords.Tag) { writer.append(tag.rawValue) }

  private mutating func append(_ tag: SealedRecords.Tag, _ peripheral: PeripheralIdentity) {
    append(tag: tag)
    if let number = numbers[peripheral] { return writer.append(UInt8(number)) }
    let number = min(numbers.count, SealedRecords.mostNumbered)
    writer.append(UInt8(number))
    if number < SealedRecords.mostNumbered { numbers[peripheral] = number }
    switch peripheral {
    case .address(let address):
      writer.append(address.kind.rawValue)
      writer.append(address)
    case .unidentified(let link):
      writer.append(2)
      writer.appendLE(link)
    }
  }

  private mutating func append(_ setting: ClockSetting) {
    append(text: setting.boot)
    append(setting.origin)
  }

  private mutating func append(_ time: ReceiptTime) {
    let difference = time.microsecondsSince1970 &- lastTime
    lastTime = time.microsecondsSince1970
    // Zigzag encoding: a small difference in either direction takes few bytes.
    append(varint: UInt64(bitPattern: difference << 1 ^ difference >> 63))
  }

  private mutating func append(_ characteristic: BluetoothUUID) {
    writer.append(characteristic.assignedNumber == nil ? 16 : 2)
    writer.append(characteristic)
  }

  private mutating func append(_ value: AttributeValue) {
    append(varint: UInt64(value.count))
    value.withBytes { bytes in bytes.withUnsafeBytes { writer.append($0) } }
  }

  private mutating func append(text: String) {
    let bytes = Array(text.utf8)
    append(varint: UInt64(bytes.count))
    writer.append(bytes)
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      writer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    writer.append(UInt8(rest))
  }
}
