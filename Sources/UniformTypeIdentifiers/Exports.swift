// A program that imports UniformTypeIdentifiers also sees Foundation's URL and Data, as on Apple's systems.
@_exported public import Foundation
