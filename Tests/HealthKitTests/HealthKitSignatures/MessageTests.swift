import Foundation
import HealthKitSignatures
import Testing

/// Tests rules of CMS that prevent a signed text from being presented as another text.
@Suite struct MessageTests {
  let key: P256PrivateKey
  let record: SignedRecord
  let sound: HandmadeMessage

  init() throws {
    key = try P256PrivateKey()
    record = try SignedRecord(Device.sample())
    sound = HandmadeMessage(record, key)
  }

  private func verdict(_ change: (inout HandmadeMessage) -> Void) throws -> SignatureVerdict {
    var message = sound
    change(&message)
    return SignatureVerifier(publicKey: key.publicKey).verify(message.base64(), of: record)
  }

  @Test func `a message assembled by hand is accepted`() throws {
    #expect(try verdict { _ in } == .valid)
    #expect(try verdict { $0.attributes = nil } == .valid)
    #expect(try verdict { $0.version = 3 } == .valid)
    #expect(try verdict { $0.signerCount = 16 } == .valid)
  }

  @Test func `algorithms and their parameters follow the specifications`() throws {
    #expect(try verdict { $0.digestAlgorithm += HandmadeMessage.null } == .valid)
    #expect(try verdict { $0.digestAlgorithm += [0x02, 0x01, 0x00] }.code == .unsupportedAlgorithm)
    #expect(try verdict { $0.signatureAlgorithm += HandmadeMessage.null }.code == .unsupportedAlgorithm)
    // ecPublicKey is the type of the key. Some systems wrongly use it as the signature algorithm.
    let publicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    #expect(try verdict { $0.signatureAlgorithm = publicKey }.code == .unsupportedAlgorithm)
  }

  @Test func `signed attributes must have the content type and digest exactly once`() throws {
    let type = sound.attribute(HandmadeMessage.contentType, HandmadeMessage.data)
    let digest = sound.digest(of: sound.content)
    #expect(try verdict { $0.attributes = [digest] }.code == .notSignedData)
    #expect(try verdict { $0.attributes = [type] }.code == .notSignedData)
    #expect(try verdict { $0.attributes = [] }.code == .notSignedData)
    #expect(try verdict { $0.attributes = [type, digest, digest] }.code == .notSignedData)
    #expect(try verdict { $0.attributes = [digest, type] }.code == .notSignedData)
    let empty = sound.attribute(HandmadeMessage.messageDigest)
    #expect(try verdict { $0.attributes = [empty, type] }.code == .notSignedData)
    let other = sound.digest(of: [])
    #expect(try verdict { $0.attributes = [type, other] }.code == .digestMismatch)
  }

  @Test func `the signed content type must equal that of the message`() throws {
    #expect(try verdict { $0.contentType = HandmadeMessage.signedData }.code == .digestMismatch)
    // Without signed attributes the content type is not signed, so only one content type is allowed.
    let verdict = try verdict {
      $0.attributes = nil
      $0.contentType = HandmadeMessage.signedData
    }
    #expect(verdict.code == .notSignedData)
  }

  @Test func `signed attributes are not accepted as a record`() throws {
    let attributes = HandmadeMessage.node(0x31, (sound.attributes ?? []).flatMap(\.self))
    let verdict = try verdict {
      $0.content = attributes
      $0.attributes = nil
    }
    #expect(verdict.code == .malformedContent)
  }

  @Test func `messages with no, too many or unknown signers are rejected`() throws {
    #expect(try verdict { $0.signerCount = 0 }.code == .notSignedData)
    #expect(try verdict { $0.signerCount = 17 }.code == .notSignedData)
    #expect(try verdict { $0.version = 2 }.code == .notSignedData)
  }

  @Test func `bytes after the message are rejected`() throws {
    var message = try #require(Data(base64Encoded: sound.base64()))
    message += [0x05, 0x00]
    let verifier = SignatureVerifier(publicKey: key.publicKey)
    #expect(verifier.verify(message.base64EncodedString(), of: record).code == .notSignedData)
  }
}
