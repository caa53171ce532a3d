import SwiftASN1

/// A key of a property list with its value; `SignedRecord.derEncoded` has the ASN.1.
struct PropertyListEntry: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case date(UTCInstant)
  }

  var key: String
  var value: Value
}

extension PropertyListEntry: DERSerializable {
  func serialize(into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(ASN1UTF8String(key))
      switch value {
      case .text(let text): try coder.serialize(ASN1UTF8String(text))
      case .number(let number): try coder.serialize(number)
      case .date(let instant):
        coder.appendPrimitiveNode(identifier: .generalizedTime) { $0 += Array(instant.text.utf8) }
      }
    }
  }
}

extension PropertyListEntry: DERParseable {
  init(derEncoded node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { nodes in
      guard let key = nodes.next(), let value = nodes.next() else {
        throw SignatureError(.malformedContent, "an entry is not a key with a value")
      }
      return PropertyListEntry(key: try Self.text(key), value: try Self.value(value))
    }
  }

  private static func value(_ node: ASN1Node) throws -> Value {
    switch node.identifier {
    case .utf8String: return .text(try text(node))
    case .integer: return .number(try Int64(derEncoded: node))
    case .generalizedTime:
      guard let instant = UTCInstant(text: try text(node, identifier: .generalizedTime)) else {
        throw SignatureError(
          .malformedContent, "a date is not in DER, finer than a microsecond or not in the calendar")
      }
      return .date(instant)
    default:
      throw SignatureError(.malformedContent, "a value is neither text, integer nor date")
    }
  }

  private static func text(_ node: ASN1Node, identifier: ASN1Identifier = .utf8String) throws -> String {
    let octets = try ASN1UTF8String(derEncoded: node, withIdentifier: identifier)
    guard let text = String(validating: octets.bytes, as: UTF8.self) else {
      throw SignatureError(.malformedContent, "a text is not UTF-8")
    }
    return text
  }
}
