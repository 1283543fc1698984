// Belongs to the targets that lab_precompiled() makes; what they are for is their header.
