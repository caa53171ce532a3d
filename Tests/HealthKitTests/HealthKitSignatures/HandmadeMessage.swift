import COpenSSL
import Foundation

@testable import HealthKitSignatures

/// A CMS message assembled by hand (RFC 5652 §5), for messages that no correct program writes.
struct HandmadeMessage {
  static let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
  static let signedData: [UInt8] = data.dropLast() + [0x02]
  static let contentType: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x03]
  static let messageDigest: [UInt8] = contentType.dropLast() + [0x04]
  static let sha256: [UInt8] = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
  static let ecdsaWithSHA256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
  static let null: [UInt8] = [0x05, 0x00]

  let key: P256PrivateKey
  var content: [UInt8]
  var contentType = data
  var digestAlgorithm = sha256
  var signatureAlgorithm = ecdsaWithSHA256
  /// The signed attributes; nil if the content itself is signed.
  var attributes: [[UInt8]]?
  var signerCount = 1
  var version: UInt8 = 1

  init(_ record: SignedRecord, _ key: P256PrivateKey) {
    content = record.derEncoded
    self.key = key
    attributes = [attribute(Self.contentType, Self.data), digest(of: content)]
  }

  func digest(of content: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Q_digest(nil, "SHA256", nil, content, content.count, &digest, nil)
    return attribute(Self.messageDigest, Self.node(0x04, digest))
  }

  private func signature(of content: [UInt8]) -> [UInt8] {
    key.withObject { key in
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: 80)
      var count = signature.count
      EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
      EVP_DigestSign(context, &signature, &count, content, content.count)
      return Array(signature.prefix(count))
    }
  }

  func attribute(_ type: [UInt8], _ values: [UInt8]...) -> [UInt8] {
    Self.node(0x30, type + Self.node(0x31, values.flatMap(\.self)))
  }

  func base64() -> String {
    let attributes = attributes.map { $0.flatMap(\.self) }
    let covered = attributes.map { Self.node(0x31, $0) } ?? content
    let signer = Self.node(
      0x30,
      [0x02, 0x01, version] + Self.node(0x80, [1, 2, 3]) + Self.node(0x30, digestAlgorithm)
        + (attributes.map { Self.node(0xA0, $0) } ?? []) + Self.node(0x30, signatureAlgorithm)
        + Self.node(0x04, signature(of: covered)))
    let signers = Array(repeatElement(signer, count: signerCount).joined())
    let message = Self.node(
      0x30,
      [0x02, 0x01, 0x03] + Self.node(0x31, Self.node(0x30, digestAlgorithm))
        + Self.node(0x30, contentType + Self.node(0xA0, Self.node(0x04, content))) + Self.node(0x31, signers))
    return Data(Self.node(0x30, Self.signedData + Self.node(0xA0, message))).base64EncodedString()
  }

  static func node(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      count < 0x80
      ? [UInt8(count)]
      : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    return [tag] + length + content
  }
}
