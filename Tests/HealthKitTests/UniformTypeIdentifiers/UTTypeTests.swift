// This file does not import Foundation, because UniformTypeIdentifiers must re-export it.
import Testing
import UniformTypeIdentifiers

@Suite struct UTTypeTests {
  @Test func `an extension and a MIME type determine the type, regardless of case`() {
    #expect(UTType(filenameExtension: "PDF") == .pdf)
    #expect(UTType(filenameExtension: "jpg") == .jpeg)
    #expect(UTType(mimeType: "image/png") == .png)
    #expect(UTType(filenameExtension: "png", conformingTo: .text) == nil)
    #expect(UTType(filenameExtension: "no such extension") == nil)
  }

  @Test func `an image is data and content, but not text`() {
    #expect(UTType.heic.conforms(to: .image) && UTType.heic.conforms(to: .data))
    #expect(UTType.heic.conforms(to: .content) && !UTType.heic.conforms(to: .text))
    #expect(UTType.image.isSupertype(of: .gif) && UTType.gif.isSubtype(of: .image))
    #expect(UTType.pdf.conforms(to: .pdf) && !UTType.pdf.isSubtype(of: .pdf))
    #expect(!UTType.pdf.conforms(to: .image))
  }

  @Test func `an unknown identifier makes a type only if its conformance is given`() {
    #expect(UTType("org.example.scan") == nil)
    let scan = UTType(importedAs: "org.example.scan", conformingTo: .image)
    #expect(scan.identifier == "org.example.scan" && !scan.isDeclared)
    #expect(scan.conforms(to: .image) && scan.conforms(to: .item))
    #expect(UTType(exportedAs: "org.example.scan").conforms(to: .data))
    #expect(UTType(importedAs: "public.png") == .png)
  }

  @Test func `every type is found by its identifier, extension and MIME type`() throws {
    #expect(UTType.declared.count == Set(UTType.declared).count)
    for type in UTType.declared {
      #expect(UTType(type.identifier) == type)
      if let name = type.preferredFilenameExtension { #expect(UTType(filenameExtension: name) == type) }
      if let name = type.preferredMIMEType { #expect(UTType(mimeType: name) == type) }
      #expect(try JSONDecoder().decode([UTType].self, from: JSONEncoder().encode([type])) == [type])
      // A declared type conforms only to declared types.
      #expect(type.supertypes.filter { !$0.isDeclared }.isEmpty)
    }
  }
}
