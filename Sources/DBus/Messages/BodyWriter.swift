internal import CDBus

/// Appends checked values to a message of libdbus. False is libdbus' word for no memory; the message is then
/// to be dropped.
enum BodyWriter {
  static func append(_ body: [DBusValue], to message: OpaquePointer) -> Bool {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    return body.allSatisfy { append($0, to: &iterator) }
  }

  private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) -> Bool {
    switch value {
    case .byte(let number): basic(number, CDBUS_TYPE_BYTE, &iterator)
    case .boolean(let flag): basic(dbus_bool_t(flag ? 1 : 0), CDBUS_TYPE_BOOLEAN, &iterator)
    case .int16(let number): basic(number, CDBUS_TYPE_INT16, &iterator)
    case .uint16(let number): basic(number, CDBUS_TYPE_UINT16, &iterator)
    case .int32(let number): basic(number, CDBUS_TYPE_INT32, &iterator)
    case .uint32(let number): basic(number, CDBUS_TYPE_UINT32, &iterator)
    case .int64(let number): basic(number, CDBUS_TYPE_INT64, &iterator)
    case .uint64(let number): basic(number, CDBUS_TYPE_UINT64, &iterator)
    case .double(let number): basic(number, CDBUS_TYPE_DOUBLE, &iterator)
    case .string(let text): self.text(text, CDBUS_TYPE_STRING, &iterator)
    case .objectPath(let path): text(path.rawValue, CDBUS_TYPE_OBJECT_PATH, &iterator)
    case .signature(let signature): text(signature.rawValue, CDBUS_TYPE_SIGNATURE, &iterator)
    case .bytes(let bytes): self.bytes(bytes, &iterator)
    case .array(let element, let values):
      container(CDBUS_TYPE_ARRAY, element.rawValue, &iterator) { contents in
        values.allSatisfy { append($0, to: &contents) }
      }
    case .dictionary(let key, let value, let entries):
      container(CDBUS_TYPE_ARRAY, "{\(key)\(value)}", &iterator) { contents in
        entries.allSatisfy { entry in
          container(CDBUS_TYPE_DICT_ENTRY, nil, &contents) {
            append(entry.key, to: &$0) && append(entry.value, to: &$0)
          }
        }
      }
    case .structure(let members):
      container(CDBUS_TYPE_STRUCT, nil, &iterator) { contents in
        members.allSatisfy { append($0, to: &contents) }
      }
    case .variant(let inner):
      container(CDBUS_TYPE_VARIANT, inner.signature.rawValue, &iterator) { append(inner, to: &$0) }
    }
  }

  private static func basic<Value: BitwiseCopyable>(
    _ value: Value, _ type: Int32, _ iterator: inout DBusMessageIter
  ) -> Bool {
    withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, type, $0) != 0 }
  }

  private static func text(_ text: String, _ type: Int32, _ iterator: inout DBusMessageIter) -> Bool {
    text.withCString { pointer in
      withUnsafePointer(to: pointer) { dbus_message_iter_append_basic(&iterator, type, $0) != 0 }
    }
  }

  private static func bytes(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) -> Bool {
    container(CDBUS_TYPE_ARRAY, "y", &iterator) { contents in
      bytes.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return true }
        return withUnsafePointer(to: start) {
          dbus_message_iter_append_fixed_array(&contents, CDBUS_TYPE_BYTE, $0, Int32(buffer.count)) != 0
        }
      }
    }
  }

  /// A container that could not be filled is given up, which frees what libdbus holds for it.
  private static func container(
    _ type: Int32, _ signature: String?, _ iterator: inout DBusMessageIter,
    fill: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var contents = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, type, signature, &contents) != 0 else { return false }
    guard fill(&contents) else {
      dbus_message_iter_abandon_container(&iterator, &contents)
      return false
    }
    return dbus_message_iter_close_container(&iterator, &contents) != 0
  }
}
