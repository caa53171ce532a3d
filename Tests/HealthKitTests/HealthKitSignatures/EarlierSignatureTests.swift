import Foundation
import HealthKit
import HealthKitSignatures
import Testing

/// Tests signatures that hrgate created with swift-certificates 1.21.1, at commit 0baeb95c. Users have them
/// in their stores, so they must remain valid.
@Suite struct EarlierSignatureTests {
  /// A signed record, without signed attributes and with a signing time.
  struct Signed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let record: SignedRecord?
    let content: String
    let signatures: [String]
  }

  static let quantity = Signed(
    testDescription: "quantity", record: try? SignedRecord(Device.sample()),
    content: """
      MYGVMA0MBXZhbHVlDAQ3Mi41MBEMBHVuaXQMCWNvdW50L21pbjAhDAdlbmREYXRlGBYyMDI1MDEwMjAzMDQwNi42MjM0NTZaMCMM
      CXN0YXJ0RGF0ZRgWMjAyNTAxMDIwMzA0MDUuMTIzNDU2WjApDAR0eXBlDCFIS1F1YW50aXR5VHlwZUlkZW50aWZpZXJIZWFydFJh
      dGU=
      """,
    signatures: [
      """
      MIIC7QYJKoZIhvcNAQcCoIIC3jCCAtoCAQExDTALBglghkgBZQMEAgEwgakGCSqGSIb3DQEHAaCBmwSBmDGBlTANDAV2YWx1ZQwE
      NzIuNTARDAR1bml0DAljb3VudC9taW4wIQwHZW5kRGF0ZRgWMjAyNTAxMDIwMzA0MDYuNjIzNDU2WjAjDAlzdGFydERhdGUYFjIw
      MjUwMTAyMDMwNDA1LjEyMzQ1NlowKQwEdHlwZQwhSEtRdWFudGl0eVR5cGVJZGVudGlmaWVySGVhcnRSYXRloIIBeTCCAXUwggEa
      oAMCAQICFQDd+s9JfRYyu+4nA6icMFAweUSTNjAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5TdHJhcCAwYmFlYjk1YzAeFw0yMzEx
      MTQyMjEzMjBaFw00MzExMDkyMjEzMjBaMBkxFzAVBgNVBAMMDlN0cmFwIDBiYWViOTVjMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
      QgAE/NPwnQlvdfZQGiY5JgVDT+nsV5NxrM85eahV9D4emqxHsCgoVOP27GJxuO4Qg2VJkwBW2chiqarcdogHnAHtYqM/MD0wDAYD
      VR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFOFHGMiLeD2gkoOiJ6EZ6CFjOnz6MAoGCCqGSM49BAMCA0kAMEYC
      IQDXsiWFHaKkl8k7ZolXyg6mkn6IlGi8NOTvxVYMs7WT5wIhALw/N9rAxKKMFiZ3GDan6TN9DllP2yIOr4+e/74CP8EmMYGcMIGZ
      AgEBMDIwGTEXMBUGA1UEAwwOU3RyYXAgMGJhZWI5NWMCFQDd+s9JfRYyu+4nA6icMFAweUSTNjALBglghkgBZQMEAgEwCgYIKoZI
      zj0EAwIERzBFAiEAkyzSnv4WmT1h3wXy5bdCO/01QXwlORe+R/fAXZwe3ewCIEczzihtKBULoD9QaJaAaGe/Hc0AXmfLLPXzNeqj
      QShi
      """,
      """
      MIIDWwYJKoZIhvcNAQcCoIIDTDCCA0gCAQExDTALBglghkgBZQMEAgEwgakGCSqGSIb3DQEHAaCBmwSBmDGBlTANDAV2YWx1ZQwE
      NzIuNTARDAR1bml0DAljb3VudC9taW4wIQwHZW5kRGF0ZRgWMjAyNTAxMDIwMzA0MDYuNjIzNDU2WjAjDAlzdGFydERhdGUYFjIw
      MjUwMTAyMDMwNDA1LjEyMzQ1NlowKQwEdHlwZQwhSEtRdWFudGl0eVR5cGVJZGVudGlmaWVySGVhcnRSYXRloIIBeTCCAXUwggEa
      oAMCAQICFQDd+s9JfRYyu+4nA6icMFAweUSTNjAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5TdHJhcCAwYmFlYjk1YzAeFw0yMzEx
      MTQyMjEzMjBaFw00MzExMDkyMjEzMjBaMBkxFzAVBgNVBAMMDlN0cmFwIDBiYWViOTVjMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
      QgAE/NPwnQlvdfZQGiY5JgVDT+nsV5NxrM85eahV9D4emqxHsCgoVOP27GJxuO4Qg2VJkwBW2chiqarcdogHnAHtYqM/MD0wDAYD
      VR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwHQYDVR0OBBYEFOFHGMiLeD2gkoOiJ6EZ6CFjOnz6MAoGCCqGSM49BAMCA0kAMEYC
      IQDXsiWFHaKkl8k7ZolXyg6mkn6IlGi8NOTvxVYMs7WT5wIhALw/N9rAxKKMFiZ3GDan6TN9DllP2yIOr4+e/74CP8EmMYIBCTCC
      AQUCAQEwMjAZMRcwFQYDVQQDDA5TdHJhcCAwYmFlYjk1YwIVAN36z0l9FjK77icDqJwwUDB5RJM2MAsGCWCGSAFlAwQCAaBpMBgG
      CSqGSIb3DQEJAzELBgkqhkiG9w0BBwEwHAYJKoZIhvcNAQkFMQ8XDTI1MDEwMjAzMDQwNVowLwYJKoZIhvcNAQkEMSIEID+K7zoi
      j9ETEylcMzLHWP3V/yTL6hMsAsXPX4cO9SqfMAoGCCqGSM49BAMCBEgwRgIhAObrlOl5vFJJjiYU6S3euq3Hr/OFUifjY9nabjSp
      Iy87AiEA0zcBFcinh9H3m0UAXvypGNbqWetaH2HeGJGYE85cV9E=
      """,
    ])

  static let category = Signed(
    testDescription: "category",
    record: try? SignedRecord(
      type: "HKCategoryTypeIdentifierSleepAnalysis", value: .category(-129), start: Device.start,
      end: Device.start + 60),
    content: """
      MYGEMAsMBXZhbHVlAgL/fzAhDAdlbmREYXRlGBYyMDI1MDEwMjAzMDUwNS4xMjM0NTZaMCMMCXN0YXJ0RGF0ZRgWMjAyNTAxMDIw
      MzA0MDUuMTIzNDU2WjAtDAR0eXBlDCVIS0NhdGVnb3J5VHlwZUlkZW50aWZpZXJTbGVlcEFuYWx5c2lz
      """,
    signatures: [
      """
      MIIC3AYJKoZIhvcNAQcCoIICzTCCAskCAQExDTALBglghkgBZQMEAgEwgZgGCSqGSIb3DQEHAaCBigSBhzGBhDALDAV2YWx1ZQIC
      /38wIQwHZW5kRGF0ZRgWMjAyNTAxMDIwMzA1MDUuMTIzNDU2WjAjDAlzdGFydERhdGUYFjIwMjUwMTAyMDMwNDA1LjEyMzQ1Nlow
      LQwEdHlwZQwlSEtDYXRlZ29yeVR5cGVJZGVudGlmaWVyU2xlZXBBbmFseXNpc6CCAXkwggF1MIIBGqADAgECAhUA3frPSX0WMrvu
      JwOonDBQMHlEkzYwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOU3RyYXAgMGJhZWI5NWMwHhcNMjMxMTE0MjIxMzIwWhcNNDMxMTA5
      MjIxMzIwWjAZMRcwFQYDVQQDDA5TdHJhcCAwYmFlYjk1YzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPzT8J0Jb3X2UBomOSYF
      Q0/p7FeTcazPOXmoVfQ+HpqsR7AoKFTj9uxicbjuEINlSZMAVtnIYqmq3HaIB5wB7WKjPzA9MAwGA1UdEwEB/wQCMAAwDgYDVR0P
      AQH/BAQDAgeAMB0GA1UdDgQWBBThRxjIi3g9oJKDoiehGeghYzp8+jAKBggqhkjOPQQDAgNJADBGAiEA17IlhR2ipJfJO2aJV8oO
      ppJ+iJRovDTk78VWDLO1k+cCIQC8PzfawMSijBYmdxg2p+kzfQ5ZT9siDq+Pnv++Aj/BJjGBnDCBmQIBATAyMBkxFzAVBgNVBAMM
      DlN0cmFwIDBiYWViOTVjAhUA3frPSX0WMrvuJwOonDBQMHlEkzYwCwYJYIZIAWUDBAIBMAoGCCqGSM49BAMCBEcwRQIgOMJHatjY
      eo1gHH6uBxXOWs7FZMdEyfq871zzJZKguQsCIQCeJduLe85lpU5uhpU5QIouzAzlTX7ocMKNQG1+ISuv6A==
      """,
      """
      MIIDSAYJKoZIhvcNAQcCoIIDOTCCAzUCAQExDTALBglghkgBZQMEAgEwgZgGCSqGSIb3DQEHAaCBigSBhzGBhDALDAV2YWx1ZQIC
      /38wIQwHZW5kRGF0ZRgWMjAyNTAxMDIwMzA1MDUuMTIzNDU2WjAjDAlzdGFydERhdGUYFjIwMjUwMTAyMDMwNDA1LjEyMzQ1Nlow
      LQwEdHlwZQwlSEtDYXRlZ29yeVR5cGVJZGVudGlmaWVyU2xlZXBBbmFseXNpc6CCAXkwggF1MIIBGqADAgECAhUA3frPSX0WMrvu
      JwOonDBQMHlEkzYwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOU3RyYXAgMGJhZWI5NWMwHhcNMjMxMTE0MjIxMzIwWhcNNDMxMTA5
      MjIxMzIwWjAZMRcwFQYDVQQDDA5TdHJhcCAwYmFlYjk1YzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPzT8J0Jb3X2UBomOSYF
      Q0/p7FeTcazPOXmoVfQ+HpqsR7AoKFTj9uxicbjuEINlSZMAVtnIYqmq3HaIB5wB7WKjPzA9MAwGA1UdEwEB/wQCMAAwDgYDVR0P
      AQH/BAQDAgeAMB0GA1UdDgQWBBThRxjIi3g9oJKDoiehGeghYzp8+jAKBggqhkjOPQQDAgNJADBGAiEA17IlhR2ipJfJO2aJV8oO
      ppJ+iJRovDTk78VWDLO1k+cCIQC8PzfawMSijBYmdxg2p+kzfQ5ZT9siDq+Pnv++Aj/BJjGCAQcwggEDAgEBMDIwGTEXMBUGA1UE
      AwwOU3RyYXAgMGJhZWI5NWMCFQDd+s9JfRYyu+4nA6icMFAweUSTNjALBglghkgBZQMEAgGgaTAYBgkqhkiG9w0BCQMxCwYJKoZI
      hvcNAQcBMBwGCSqGSIb3DQEJBTEPFw0yNTAxMDIwMzA0MDVaMC8GCSqGSIb3DQEJBDEiBCAISXzsJMLCQ40t8V09tcKWvjBEnJPT
      oa3aFaGpslHmmjAKBggqhkjOPQQDAgRGMEQCICQihyyWSC4iv5RnRqCZrmTiTALGTLeUatbzOEzxFpHrAiAvFlEhUoSefisako6c
      K7Euu7lJKeBuT4LqE0b5PF1hAg==
      """,
    ])

  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBdTCCARqgAwIBAgIVAN36z0l9FjK77icDqJwwUDB5RJM2MAoGCCqGSM49BAMC
    MBkxFzAVBgNVBAMMDlN0cmFwIDBiYWViOTVjMB4XDTIzMTExNDIyMTMyMFoXDTQz
    MTEwOTIyMTMyMFowGTEXMBUGA1UEAwwOU3RyYXAgMGJhZWI5NWMwWTATBgcqhkjO
    PQIBBggqhkjOPQMBBwNCAAT80/CdCW919lAaJjkmBUNP6exXk3Gszzl5qFX0Ph6a
    rEewKChU4/bsYnG47hCDZUmTAFbZyGKpqtx2iAecAe1ioz8wPTAMBgNVHRMBAf8E
    AjAAMA4GA1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQU4UcYyIt4PaCSg6InoRnoIWM6
    fPowCgYIKoZIzj0EAwIDSQAwRgIhANeyJYUdoqSXyTtmiVfKDqaSfoiUaLw05O/F
    VgyztZPnAiEAvD832sDEoowWJncYNqfpM30OWU/bIg6vj57/vgI/wSY=
    -----END CERTIFICATE-----
    """

  static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/NPwnQlvdfZQGiY5JgVDT+nsV5Nx
    rM85eahV9D4emqxHsCgoVOP27GJxuO4Qg2VJkwBW2chiqarcdogHnAHtYg==
    -----END PUBLIC KEY-----
    """

  /// The private key of the test's certificate. It is used nowhere else.
  static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghInipkrVo7KxB3xK
    ZknxwEzN0gz05x43ivY+Hjx/zAWhRANCAAT80/CdCW919lAaJjkmBUNP6exXk3Gs
    zzl5qFX0Ph6arEewKChU4/bsYnG47hCDZUmTAFbZyGKpqtx2iAecAe1i
    -----END PRIVATE KEY-----
    """

  @Test(arguments: [quantity, category], [certificate, publicKey])
  func `an earlier signature verifies, and an altered record does not`(_ signed: Signed, key: String) throws {
    let verifier = try SignatureVerifier(publicKeyPEM: key)
    let record = try #require(signed.record)
    let other = try SignedRecord(
      type: record.type, value: record.value, start: record.start, end: record.end + 1)
    for signature in signed.signatures {
      #expect(verifier.verify(signature, of: record) == .valid)
      #expect(try verifier.signedRecord(in: signature) == record)
      #expect(verifier.verify(signature, of: other).fields == [.endDate])
      #expect(Device.verifier.verify(signature, of: record).code == .otherKey)
    }
  }

  @Test(arguments: [quantity, category])
  func `a record is encoded to the same bytes as before`(_ signed: Signed) throws {
    let content = try #require(Data(base64Encoded: signed.content, options: .ignoreUnknownCharacters))
    #expect(try #require(signed.record).derEncoded == Array(content))
  }

  @Test func `an earlier key and certificate still sign`() throws {
    let identity = try SigningIdentity(privateKeyPEM: Self.privateKey, certificatePEM: Self.certificate)
    let record = try SignedRecord(Device.sample())
    let verifier = try SignatureVerifier(publicKeyPEM: Self.publicKey)
    #expect(verifier.verify(try identity.signature(of: record), of: record) == .valid)
  }
}
